// The opening view of a program's run against `ergon top`: run.mjs REPORT ERGON RECORD PROFILE PRINTED OTHER OTHER_RECORD
// PROFILE is of a machine with settings of its clocks. PRINTED is the page as a PDF.
import {execFileSync} from 'node:child_process';
import {readFileSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {check, equal, near, numberIn, redrawn, withReport} from './browser.mjs';

const [report, ergon, record, profile, printed, other, otherRecord] = process.argv.slice(2);
const machine = path.basename(profile, '.json');
const lite = await import(createRequire(path.join(process.env.NODE_PATH, 'x')).resolve('vega-lite'));
const top = of => JSON.parse(execFileSync(ergon, ['top', of, '--machine', profile, '--json'], {encoding: 'utf8'}));
const wanted = top(record);
const text = async (page, selector) => (await page.locator(selector).textContent()).replaceAll('\u202f', ' ');
const percent = share => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;

async function opens(page) {
  near(await numberIn(page, '#headline-energy'), wanted.prediction.energy_j.value, 'the energy of the run');
  near(await numberIn(page, '#headline-time'), wanted.prediction.time_s.value, 'the time of the run');
  equal(await text(page, '#entry'), 'main', 'what is chosen');
  const [most] = wanted.rows;
  check((await text(page, '#headline')).includes(`${percent(most.share)} is ${most.name} (run.c:`), await text(page, '#headline'));
  check((await text(page, '#shares')).startsWith(`${most.name} ${percent(most.share)}`), await text(page, '#shares'));
  check((await text(page, '#interval')).includes('1 value is estimated'), await text(page, '#interval'));
}

async function hasSharesOfTop(page) {
  for (const {name, self, total, share} of wanted.rows) {
    const row = `.functions .row[data-function="${name}"]`;
    near(await numberIn(page, `${row} .of-energy_j`), self.energy_j, `the energy of ${name} itself`);
    near(await numberIn(page, `${row} .of-time_s`), self.time_s, `the time of ${name} itself`);
    near(await numberIn(page, `${row} .of-share`), share, `the share of ${name}`);
    near(await numberIn(page, `${row} .of-total`), total.energy_j / wanted.sum.energy_j, `the share of ${name} with what it calls`);
  }
  equal(await numberIn(page, '.functions .row[data-function="unused"] .of-energy_j'), null, 'the energy of what is not called');
  const names = await page.locator('.functions .row[data-function]').evaluateAll(rows => rows.toSorted((a, b) => a.dataset.at - b.dataset.at).map(each => each.dataset.function));
  equal(names.join(), [...wanted.rows.map(({name}) => name), 'unused'].join(), 'the order');
}

/// What would save most, in the order of `ergon top`; its place leads to the source.
async function listsAdvice(page) {
  const items = page.locator('ol.advice li');
  check(wanted.advice.length > 0, 'run.c has something to advise');
  equal(await items.count(), Math.min(5, wanted.advice.length), 'advice');
  for (const [at, {message, rule}] of wanted.advice.slice(0, 5).entries()) {
    const said = await items.nth(at).textContent();
    check(said.includes(message.slice(message.lastIndexOf(': ') + 2)) && said.includes(`[${rule}]`), said);
  }
}

/// The sentence names other clocks where they save a fiftieth of the energy for at most a tenth more time.
async function namesClocks(page) {
  const clocks = page.locator('#better');
  const [before, timeBefore] = [await numberIn(page, '#headline-energy'), await numberIn(page, '#headline-time')];
  const said = await text(page, '#headline');
  await redrawn(page, () => clocks.click());
  const [after, timeAfter] = [await numberIn(page, '#headline-energy'), await numberIn(page, '#headline-time')];
  check(after < 0.98 * before && timeAfter <= 1.1 * timeBefore, 'they do');
  check(said.includes(`${percent(1 - after / before)} less energy for`), `${said}: ${before} J to ${after} J`);
  equal(await clocks.count(), 0, 'clocks that are better than these');
}

async function saved(page, act) {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return readFileSync(await file.path(), 'utf8');
}

async function givesFiles(page) {
  const plot = page.locator('figure', {hasText: 'Where the energy goes'});
  const table = await saved(page, () => plot.getByRole('button', {name: 'CSV'}).click());
  check(table.startsWith('data,name,label,joules,share\r\nparts,'), `rows of a plot: ${table}`);
  const joules = table.trim().split('\r\n').slice(1).reduce((sum, row) => sum + Number(row.split(',')[3]), 0);
  near(joules, wanted.prediction.energy_j.value, 'the joules of the file');
  for (const each of await page.locator('figure').all()) {
    const button = each.getByRole('button', {name: 'Vega-Lite'});
    if (!await button.isVisible())
      continue;
    const spec = JSON.parse(await saved(page, () => button.click()));
    check(lite.compile(spec).spec.marks.length, `a spec that Vega-Lite reads: ${spec.description}`);
    check(!JSON.stringify(spec).includes('"@'), 'with its colours');
  }
  const functions = await saved(page, () => page.locator('#functions').getByRole('button', {name: 'CSV'}).click());
  check(functions.startsWith('name,at,energy_j,share,total,time_s,bound\r\n') && functions.split('\r\n').length === 7, functions);
}

/// A picture of the whole page, and paper, have all plots, though none was in sight.
async function showsAllPlots(page) {
  await page.waitForFunction(() => [...document.querySelectorAll('.plot-canvas:not([hidden])')].every(each => each.querySelector('svg')));
  check(await page.locator('.plot-canvas:not([hidden]) svg').count() >= 5, 'plots');
  await page.pdf({path: printed, format: 'A4', printBackground: true});
  check(statSync(printed).size > 20000, 'a printed page');
  await page.emulateMedia({media: 'print'});
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  equal(wide, 0, 'pixels too wide on paper');
}

async function compares(page) {
  const before = top(otherRecord), costOf = (of, name) => of.rows.find(row => row.name === name).self.energy_j;
  await page.locator('#comparison input[type=file]').setInputFiles(other);
  await page.locator('#comparison tbody tr').first().waitFor();
  const change = async name => Number(await page.locator(`#comparison tr[data-function="${name}"]`).getAttribute('data-change'));
  for (const name of ['smooth', 'clip', 'norm'])
    near(await change(name), costOf(wanted, name) - costOf(before, name), `what became of ${name}`);
  equal(await page.locator('#comparison tr[data-function="main"]').count(), 0, 'rows of what is as it was');
  check((await text(page, '#comparison')).includes(`${percent(1 - wanted.sum.energy_j / before.sum.energy_j)} less energy`), await text(page, '#comparison'));
  await page.locator('#comparison').getByRole('button', {name: 'close'}).click();
  check(await page.locator('#comparison').isHidden(), 'it can be closed');
  // What is no report is said.
  await page.locator('#comparison input[type=file]').setInputFiles({name: 'other.html', mimeType: 'text/html', buffer: Buffer.from('<p>')});
  await page.waitForFunction(() => document.querySelector('#comparison').textContent.includes('other.html cannot be compared: it is no page of `ergon report`'));
}

await withReport(report, async page => {
  await opens(page);
  await hasSharesOfTop(page);
  await listsAdvice(page);
  await givesFiles(page);
  await compares(page);
  await namesClocks(page);
}, {hash: `#machine=${machine}`, acceptDownloads: true});
await withReport(report, showsAllPlots, {hash: `#machine=${machine}`, size: {width: 794, height: 600}});
console.log('opened');
