"""Runs scenarios through `ergon simulate`, for the tests beside this file."""

import json
import pathlib
import subprocess

NETWORK = {"bandwidth_bytes_per_s": 1.25e9, "latency_s": 5e-5}


class Simulator:
    def __init__(self, ergon, folder):
        self.ergon, self.folder = ergon, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.runs = 0
        self.worst = 0.0  # the largest difference of what was compared

    def run(self, name="test", **scenario):
        """The JSON document of a scenario with these members."""
        self.runs += 1
        file = self.folder / f"{self.runs}.json"
        file.write_text(json.dumps({"schema": "ergon-scenario/1", "name": name, **scenario}))
        done = subprocess.run([self.ergon, "simulate", str(file), "--json"], capture_output=True, text=True)
        assert done.returncode == 0, (file, done.stderr)
        return json.loads(done.stdout)

    def same(self, found, wanted, what):
        """SimGrid's clock and energies are sums of doubles: nothing but their rounding may differ."""
        difference = abs(found - wanted) / max(abs(wanted), 1e-300)
        assert difference < 1e-9, f"{what}: {found}, wanted {wanted}"
        self.worst = max(self.worst, difference)

    def agrees(self, document, what):
        """Simulated and analytic figures are the same, and power over time adds up to the energy."""
        simulated, analytic = document["simulated"], document["analytic"]
        self.same(simulated["makespan_s"], analytic["makespan_s"], f"{what}: makespan")
        self.same(simulated["energy_j"], analytic["energy_j"], f"{what}: energy")
        for host, other, power in zip(simulated["hosts"], analytic["hosts"], document["power"], strict=True):
            self.same(host["energy_j"], other["energy_j"], f"{what}: energy of {host['name']}")
            steps = power["steps"] + [{"from_s": simulated["makespan_s"]}]
            total = sum(now["power_w"] * (then["from_s"] - now["from_s"])
                        for now, then in zip(steps, steps[1:]))
            self.same(total, host["energy_j"], f"{what}: power over time of {host['name']}")

    def report(self):
        print(f"{self.runs} simulations, at most {self.worst:.1g} apart")
