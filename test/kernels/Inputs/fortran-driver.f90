! Arguments: which kernel, n, and m.
program driver
  use grid
  implicit none
  character(len=32) :: which, word
  integer :: n, m, common_n
  double precision :: factor
  double precision, allocatable :: a(:), b(:), c(:)
  double precision, allocatable :: a2(:, :), b2(:, :)
  complex(8), allocatable :: x(:), y(:)
  double precision, external :: dot
  common /sizes/ factor, common_n
  call get_command_argument(1, which)
  call get_command_argument(2, word)
  read (word, *) n
  m = 1
  if (command_argument_count() > 2) then
    call get_command_argument(3, word)
    read (word, *) m
  end if
  allocate (a(n * n * n + n * m + 64), b(n * n * n + n * m + 64), c(n * n * n + n * m + 64))
  a = 1.5d0; b = 2.5d0; c = 3.5d0
  select case (which)
  case ('gemm');       call gemm(n, m, 2d0, a, b, c)
  case ('triangle');   call triangle(n, a, b)
  case ('stencil');    call stencil(n, a, b)
  case ('tiled');      call tiled(n, a, b)
  case ('dot');        a(1) = dot(int(n, 8), a, b)
  case ('guarded');    call guarded(n, a, b)
  case ('down');       call down(n, a)
  case ('concurrent'); call concurrent(n, a, b)
  case ('sweep');      call sweep(n, m, a)
  case ('arrays');     call arrays(n, a, b, c)
  case ('product');    call product(n, a, b, c)
  case ('common')
    common_n = n; factor = 2
    call common(a)
  case ('adjustable'); call adjustable(n + m, n, a)
  case ('choose');     call choose(n, a)
  case ('multiply')
    allocate (x(n), y(n))
    x = (1d0, 2d0); y = (3d0, 4d0)
    call multiply(n, x, y)
    a(1) = real(y(1))
  case ('grid::assumed')
    allocate (a2(n, m), b2(n, m))
    a2 = 1; b2 = 2
    call assumed(a2, b2)
    a(1) = b2(1, 1)
  case ('grid::relax')
    extent = n
    call relax(a, b)
  end select
  if (a(1) + b(1) + c(1) == 12345) print *, 'unlikely'
end program
