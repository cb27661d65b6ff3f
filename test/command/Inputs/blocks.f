      SUBROUTINE BLOCKS( N, NB, A, LDA, INFO )
      INTEGER N, NB, LDA, INFO, J, JB
      DOUBLE PRECISION A( LDA, * )
      EXTERNAL STEP
      DO 10 J = 1, N, NB
         JB = MIN( NB, N-J+1 )
         CALL STEP( 'Upper part', JB, A( 1, J ), LDA, INFO )
         CALL STEP( 'Lower', N-J-JB+1, A( 1, J ), LDA, INFO )
   10 CONTINUE
      END
      SUBROUTINE HALVES( N, A, LDA, INFO )
      INTEGER N, LDA, INFO, M
      DOUBLE PRECISION A( LDA, * )
      EXTERNAL HALVE, STEP
      M = N
      CALL HALVE( M )
      CALL STEP( 'Upper part', M, A, LDA, INFO )
      END
