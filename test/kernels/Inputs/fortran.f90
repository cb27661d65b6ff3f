! Loops of many shapes, as Fortran programs write them. Each kernel is called once by fortran-driver.f90.
module grid
  integer :: extent
  double precision :: weight = 0.5d0
contains
  ! n by n, extents that the descriptor has.
  subroutine assumed(a, b)
    double precision, intent(in) :: a(:, :)
    double precision, intent(inout) :: b(:, :)
    integer :: i, j
    do j = 2, size(a, 2) - 1
      do i = 2, size(a, 1) - 1
        b(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
  end subroutine

  ! The size is a variable of the module.
  subroutine relax(a, b)
    double precision, intent(in) :: a(*)
    double precision, intent(inout) :: b(*)
    integer :: i
    do i = 2, extent - 1
      b(i) = weight * (a(i - 1) + a(i + 1))
    end do
  end subroutine
end module

subroutine gemm(n, m, alpha, a, b, c)
  integer, intent(in) :: n, m
  double precision, intent(in) :: alpha, a(n, m), b(m, n)
  double precision, intent(inout) :: c(n, n)
  integer :: i, j, k
  do j = 1, n
    do k = 1, m
      do i = 1, n
        c(i, j) = c(i, j) + alpha * a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine

subroutine triangle(n, a, x)
  integer, intent(in) :: n
  double precision, intent(in) :: a(n, n)
  double precision, intent(inout) :: x(n)
  integer :: i, j
  do j = 1, n
    x(j) = x(j) / a(j, j)
    do i = j + 1, n
      x(i) = x(i) - a(i, j) * x(j)
    end do
  end do
end subroutine

subroutine stencil(n, a, b)
  integer, intent(in) :: n
  double precision, intent(in) :: a(n, n, n)
  double precision, intent(inout) :: b(n, n, n)
  integer :: i, j, k
  do k = 2, n - 1
    do j = 2, n - 1
      do i = 2, n - 1
        b(i, j, k) = a(i, j, k - 1) + a(i, j, k + 1) + a(i, j - 1, k) + a(i, j + 1, k) - 6 * a(i, j, k)
      end do
    end do
  end do
end subroutine

subroutine tiled(n, a, b)
  integer, intent(in) :: n
  double precision, intent(in) :: a(n, n)
  double precision, intent(inout) :: b(n, n)
  integer :: i, j, ii, jj
  do jj = 1, n, 8
    do ii = 1, n, 8
      do j = jj, min(jj + 7, n)
        do i = ii, min(ii + 7, n)
          b(j, i) = 3 * a(i, j)
        end do
      end do
    end do
  end do
end subroutine

double precision function dot(n, x, y)
  integer(8), intent(in) :: n
  double precision, intent(in) :: x(n), y(n)
  integer(8) :: i
  dot = 0
  do i = 1, n
    dot = dot + x(i) * y(i)
  end do
end function

subroutine guarded(n, a, b)
  integer, intent(in) :: n
  double precision, intent(in) :: a(n, n)
  double precision, intent(inout) :: b(n, n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      if (i < j) then
        b(i, j) = 2 * a(i, j)
      else if (i == j) then
        b(i, j) = b(i, j) / 3
      end if
    end do
  end do
end subroutine

subroutine down(n, x)
  integer, intent(in) :: n
  double precision, intent(inout) :: x(n)
  integer :: i
  do i = n, 2, -3
    x(i) = x(i - 1) * 2 + 1
  end do
end subroutine

subroutine concurrent(n, x, y)
  integer, intent(in) :: n
  double precision, intent(in) :: x(n, n)
  double precision, intent(inout) :: y(n, n)
  integer :: i, j
  do concurrent (i = 1:n, j = 1:n)
    y(i, j) = y(i, j) + 2 * x(i, j)
  end do
end subroutine

subroutine sweep(n, steps, x)
  integer, intent(in) :: n, steps
  double precision, intent(inout) :: x(n)
  integer :: i, t
  t = 0
  do while (t < steps)
    do i = 2, n
      if (i > n - t) exit
      x(i) = x(i) + x(i - 1)
    end do
    t = t + 1
  end do
end subroutine

subroutine arrays(n, a, b, c)
  integer, intent(in) :: n
  double precision, intent(in) :: a(n, n), b(n, n)
  double precision, intent(inout) :: c(n, n)
  c = a + 2 * b
  c(1, :) = c(1, :) * 3
  c(:, 1) = sum(a) + dot_product(a(:, 1), b(:, 1))
end subroutine

subroutine product(n, a, b, c)
  integer, intent(in) :: n
  double precision, intent(in) :: a(n, n), b(n, n)
  double precision, intent(inout) :: c(n, n)
  c = matmul(a, b)
end subroutine

subroutine multiply(n, x, y)
  integer, intent(in) :: n
  complex(8), intent(in) :: x(n)
  complex(8), intent(inout) :: y(n)
  integer :: i
  do i = 1, n
    y(i) = y(i) * x(i) + (0.5d0, 1d0)
  end do
end subroutine

subroutine common(x)
  double precision, intent(inout) :: x(*)
  integer :: n, i
  double precision :: factor
  common /sizes/ factor, n
  do i = 1, n
    x(i) = x(i) * factor
  end do
end subroutine

subroutine adjustable(lda, n, a)
  integer, intent(in) :: lda, n
  double precision, intent(inout) :: a(lda, *)
  integer :: i, j
  do j = 1, n
    do i = 1, j
      a(i, j) = a(i, j) * 2
    end do
  end do
end subroutine

subroutine choose(n, x)
  integer, intent(in) :: n
  double precision, intent(inout) :: x(n)
  integer :: i
  do i = 1, n
    select case (mod(i, 3))
    case (0)
      x(i) = x(i) * 2
    case (1)
      x(i) = x(i) * 2 + 1
    case default
      cycle
    end select
  end do
end subroutine
