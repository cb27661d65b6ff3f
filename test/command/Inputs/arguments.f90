program arguments
  implicit none
  integer :: n, i, m, len, st
  integer(8) :: k
  character(len=64) :: a
  character(len=:), allocatable :: q
  double precision :: s, x
  if (command_argument_count() < 2) then
    print *, "usage"
    stop 1
  end if
  call get_command_argument(1, a)
  read(a, *) n
  call get_command_argument(2, a, len, st)
  read(a, *, iostat=i) m, k, x
  if (i /= 0) error stop "bad"
  s = 0
  do i = 1, n
    s = s + x / i
  end do
  do i = 1, m
    s = s * x
  end do
  do i = 1, int(k)
    s = s - x
  end do
  do i = 1, len
    s = s - x
  end do
  print *, s
end program
