double precision function dot(n, x, y)
  integer :: n, i
  double precision :: x(n), y(n), s
  s = 0
  !$omp parallel do reduction(+:s)
  do i = 1, n
    s = s + x(i)*y(i)
  end do
  dot = s
end function
subroutine both(n, x, y)
  integer :: n, i
  double precision :: x(n), y(n)
  !$omp parallel num_threads(4)
  !$omp do schedule(static, 8)
  do i = 1, n
    x(i) = x(i)*2
  end do
  !$omp end do nowait
  !$omp do schedule(dynamic)
  do i = 1, n
    y(i) = y(i)+x(i)
  end do
  !$omp end do
  !$omp single
  y(1) = y(1)*3
  !$omp end single
  !$omp critical
  y(2) = y(2)*3
  !$omp end critical
  !$omp end parallel
end subroutine
