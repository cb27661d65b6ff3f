subroutine add_up(f, n, total)
  interface
    double precision function f(x)
      double precision, intent(in) :: x
    end function
  end interface
  integer, intent(in) :: n
  double precision, intent(inout) :: total
  double precision :: x
  integer :: i
  x = 0.5d0
  do i = 1, n
    total = total + f(x)
  end do
end subroutine
