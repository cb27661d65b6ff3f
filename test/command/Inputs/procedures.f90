! Internal procedures as arguments: `square` needs nothing of the program's, `power` its variables.
program procedures
  implicit none
  double precision :: total, c
  integer :: m
  total = 0
  c = 3
  m = 4
  call add_up(square, 10, total)
  call add_up(power, 100, total)
  call add_up(scaled, 1000, total)
  print *, total
contains
  double precision function square(x)
    double precision, intent(in) :: x
    square = x * x
  end function
  double precision function power(x)
    double precision, intent(in) :: x
    integer :: i
    power = c
    do i = 1, m
      power = power * x
    end do
  end function
  double precision function scaled(x)
    double precision, intent(in) :: x
    scaled = c * x / (x + c)
  end function
end program
