subroutine scale(n, a, x)
  integer, value :: n
  double precision, intent(in) :: a
  double precision, intent(inout) :: x(n)
  integer :: i
  do i = 1, n
    x(i) = a * x(i)
  end do
end subroutine
