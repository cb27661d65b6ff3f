// The numbers in the page against those of the command: numbers.mjs REPORT ERGON RECORD PLAIN
// PLAIN has profiles that do not say of which processor they are.
import {execFileSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {check, near, numberIn, withReport} from './browser.mjs';

const [report, ergon, record, plain] = process.argv.slice(2);
const CASES = [
  {entry: 'product', set: {n: '300', m: '77'}, machine: 'gtx580'},
  {entry: 'product', set: {n: '1000000', m: '3'}, machine: 'jetson-tk1'},
  {entry: 'blend', set: {n: '12345', m: '2'}, machine: 'jetson-tk1'},
  {entry: 'roots', set: {n: '99999', 'taken@program.c:14:14': '0.375'}, machine: 'gtx580'},
  {entry: 'roots', set: {n: '4096', 'taken@program.c:14:14': '0.2..0.5'}, machine: 'gtx580'},
  {entry: 'blend', set: {n: '500', m: '20'}, machine: 'i7-950'},
];

function predicted({entry, set, machine}, setting) {
  const values = Object.entries(set).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const clocks = [...(setting.core_mhz ? ['--core-mhz', setting.core_mhz] : []), ...(setting.mem_mhz ? ['--mem-mhz', setting.mem_mhz] : [])];
  const file = `${plain}/${machine}.json`;
  return JSON.parse(execFileSync(ergon, ['predict', record, '--entry', entry, '--machine', existsSync(file) ? file : machine, ...values, ...clocks, '--json'],
                                 {encoding: 'utf8'}));
}

let compared = 0;
for (const each of CASES) {
  const hash = new URLSearchParams({function: each.entry, machine: each.machine});
  for (const [name, value] of Object.entries(each.set))
    hash.set(`set.${name}`, value);
  await withReport(report, async page => {
    const [core, mem] = (await page.locator('#setting').inputValue()).split('/');
    const wanted = predicted(each, {core_mhz: core, mem_mhz: mem});
    const same = async (selector, number, what) => {
      near(await numberIn(page, selector), number, `${each.entry} on ${each.machine}: ${what}`);
      ++compared;
    };
    check(wanted.energy_j && wanted.time_s, `${each.entry} on ${each.machine}: the command knows time and energy`);
    await same('#total-time', wanted.time_s.value, 'time');
    await same('#total-energy', wanted.energy_j.value, 'energy');
    await same('#total-power', wanted.power_w.value, 'power');
    const flops = Object.entries(wanted.counts).filter(([name]) => name.startsWith('flops_')).reduce((sum, [, count]) => sum + count, 0);
    await same('#total-work', flops, 'work');
    await same('#total-traffic', wanted.counts.bytes_dram, 'traffic');
    await same('#total-intensity', wanted.intensity.dram, 'intensity');
    const row = `.functions .row[data-function="${each.entry}"]`;
    await same(`${row} .of-energy_j`, wanted.energy_j.value, 'energy in the list');
    await same(`${row} .of-time_s`, wanted.time_s.value, 'time in the list');
    await same('#headline-energy', wanted.energy_j.value, 'energy in the first sentence');
    await same('#headline-time', wanted.time_s.value, 'time in the first sentence');
    check(await page.locator('#total-bound').textContent() === wanted.bound, 'what bounds it');
    // Joules of lines, and of what has no line, add up to the whole.
    const joules = await page.locator('.lines .row[data-line] .heat[data-value], .rest [data-value]')
      .evaluateAll(cells => cells.map(cell => Number(cell.dataset.value)));
    check(joules.some(each => each > 0), 'lines have joules');
    near(joules.reduce((sum, each) => sum + each, 0), wanted.energy_j.value, `${each.entry} on ${each.machine}: joules of all lines and the rest`);
    ++compared;
  }, {hash: `#${hash}`, size: {width: 1440, height: 2400}});
}
console.log(`${compared} numbers are equal to 6 digits`);
