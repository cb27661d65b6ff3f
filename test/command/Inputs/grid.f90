module grid
  double precision :: weight = 0.5d0
contains
  subroutine relax(n, x, y)
    integer, value :: n
    double precision, intent(in) :: x(n)
    double precision, intent(out) :: y(n)
    integer :: i
    do i = 2, n - 1
      y(i) = weight * (x(i - 1) + x(i + 1))
    end do
  end subroutine
end module
