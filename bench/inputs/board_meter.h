// The first board's energy counter and clock, by NVML.
#pragma once

#include <dlfcn.h>

/// Zeros without NVML.
class BoardMeter {
public:
  BoardMeter() {
    void *Library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!Library)
      return;
    const auto Find = [&](const char *Name) { return dlsym(Library, Name); };
    const auto Init = reinterpret_cast<int (*)()>(Find("nvmlInit_v2"));
    const auto Handle =
        reinterpret_cast<int (*)(unsigned, void **)>(Find("nvmlDeviceGetHandleByIndex_v2"));
    Energy = reinterpret_cast<decltype(Energy)>(Find("nvmlDeviceGetTotalEnergyConsumption"));
    Clock = reinterpret_cast<decltype(Clock)>(Find("nvmlDeviceGetClockInfo"));
    if (!Init || Init() || !Handle || Handle(0, &Device))
      Device = nullptr;
  }
  /// Since the driver was loaded.
  unsigned long long millijoules() const {
    unsigned long long Result = 0;
    return Device && Energy && Energy(Device, &Result) == 0 ? Result : 0;
  }
  /// Of the multiprocessors.
  unsigned megahertz() const {
    unsigned Result = 0;
    return Device && Clock && Clock(Device, 1, &Result) == 0 ? Result : 0;
  }

private:
  void *Device = nullptr;
  int (*Energy)(void *, unsigned long long *) = nullptr;
  int (*Clock)(void *, int, unsigned *) = nullptr;
};
