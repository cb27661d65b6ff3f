/* The kernels of one variant, by name. */
#include "verification/Kernels.h"

#define ERGON_ENTRY(RETURNS, NAME, PARAMETERS) .NAME = KERNEL(NAME),
const struct KernelFunctions KERNEL(ergon_functions) = {ERGON_KERNELS(ERGON_ENTRY)};
