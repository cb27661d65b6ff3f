// A management library with the functions of NVML's public interface that the runtime asks for. GPU 0 has a
// counter that goes up by 2 J with each look; GPU 1 only power, 100 W and then 300 W; GPU 2 neither.
#include <string.h>

enum { Success = 0, NotSupported = 3, GpuIsLost = 15 };

static int Looks[3];
static int Devices[3] = {0, 1, 2};

int nvmlInit_v2(void) { return Success; }
const char *nvmlErrorString(int Code) { return Code == GpuIsLost ? "GPU is lost" : "Not Supported"; }
int nvmlDeviceGetCount_v2(unsigned *Count) { return *Count = 3, Success; }
int nvmlDeviceGetHandleByIndex_v2(unsigned Index, void **Device) {
  return *Device = &Devices[Index], Success;
}
int nvmlDeviceGetUUID(void *Device, char *Into, unsigned Size) {
  strcpy(Into, "GPU-0");
  Into[4] += *(int *)Device;
  return Success;
}
int nvmlDeviceGetName(void *Device, char *Into, unsigned Size) {
  return strcpy(Into, "A Stub"), Success;
}
int nvmlDeviceGetTotalEnergyConsumption(void *Device, unsigned long long *Millijoules) {
  if (*(int *)Device != 0)
    return NotSupported;
  *Millijoules = 2000ull * ++Looks[0];
#ifdef LOST
  if (Looks[0] > 4)
    return GpuIsLost;
#endif
  return Success;
}
int nvmlDeviceGetPowerUsage(void *Device, unsigned *Milliwatts) {
  if (*(int *)Device != 1)
    return NotSupported;
  *Milliwatts = ++Looks[1] < 3 ? 100000 : 300000; // the first look is whether it has any
  return Success;
}
int nvmlDeviceGetClockInfo(void *Device, int Which, unsigned *Megahertz) {
  return *Megahertz = Looks[*(int *)Device] < 4 ? 1000 : 1980, Which == 1 ? Success : NotSupported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *Device, unsigned long long *Reasons) {
  return *Reasons = *(int *)Device ? 0 : 0x4 | 0x40, Success;
}
