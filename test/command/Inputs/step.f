      SUBROUTINE STEP( UPLO, M, A, LDA, INFO )
      CHARACTER UPLO
      INTEGER M, LDA, INFO, I
      DOUBLE PRECISION A( LDA, * )
      INFO = 0
      IF( UPLO.EQ.'U' ) THEN
         DO 10 I = 1, M
            A( I, 1 ) = A( I, 1 )*2.5D0
   10    CONTINUE
      ELSE
         DO 20 I = 1, M
            A( I, 1 ) = A( I, 1 )*2.5D0 + 1.5D0
   20    CONTINUE
      END IF
      END
      SUBROUTINE HALVE( M )
      INTEGER M
      M = M / 2
      END
