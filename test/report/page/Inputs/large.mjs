// A report of large.py's program: how large, how soon shown, how soon redrawn: large.mjs REPORT [MOVES]
//
// Three pages. In each, MOVES of a slider as soon as the page is shown, each as soon as the one before is redrawn, so that
// what is not in sight is still being computed; in the first page then as many that wait until all is. One redraw in ten
// may have waited for another program, and of the pages with moves in a row the calmest counts. What the browser does to start
// is over by then. The limits in time are those of a machine that does fixedWork() in REFERENCE_MS: a slower one, or one
// that is busy, gets as many times as long.
import {statSync} from 'node:fs';
import {check, redrawn, withReport} from './browser.mjs';

const [report, moves = '15'] = process.argv.slice(2);
const MACHINES = ['i7-950', 'i7-950', 'epyc-7763']; // a roofline, and a pipeline
const LIMITS = {mb: 7, load_ms: 1500, redraw_ms: 100, late_redraw_ms: 200, row_ms: 100, late_row_ms: 200};
const REFERENCE_MS = 130;
const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
/// Nine in ten are at most this.
const late = numbers => numbers.toSorted((a, b) => a - b)[Math.ceil(0.9 * numbers.length) - 1];
const told = numbers => `median ${median(numbers).toFixed(1)} ms, nine in ten ${late(numbers).toFixed(1)} ms, most ${Math.max(...numbers).toFixed(1)} ms of ${numbers.length}`;

const mb = statSync(report).size / 1e6;
const loads = [], drags = [], references = [];
let waited = [];

/// How long it takes to do what loading a report consists of: text to values and back. In ms; also called in the page.
function fixedWork() {
  const begin = performance.now();
  const text = JSON.stringify(Array.from({length: 100000}, (_, at) => ({at, name: `function ${at % 977}`})));
  for (let round = 0; round < 2; ++round)
    JSON.stringify(JSON.parse(text));
  return performance.now() - begin;
}

/// How long two take it side by side, as a page and its worker are; asked again until the browser no longer starts.
async function settled(page) {
  let last = Infinity;
  for (let round = 0; round < 20; ++round) {
    const inPage = page.evaluate(fixedWork);
    await page.waitForTimeout(0); // the page has begun
    const here = fixedWork(), now = Math.max(here, await inPage);
    if (now > 0.9 * last && round >= 5)
      return references.push(now);
    last = now;
  }
  references.push(last);
}

/// Moves the first slider; the durations of the redraws.
async function moved(page, isSettled) {
  const slider = page.locator('#controls input[type=range]').first();
  const from = await page.evaluate(() => performance.getEntriesByName('ergon:redraw').length);
  for (let move = 0; move < Number(moves); ++move)
    await redrawn(page, () => slider.evaluate((element, value) => {
      element.value = String(value);
      element.dispatchEvent(new Event('input', {bubbles: true}));
    }, 300 + 10 * move), isSettled);
  return page.evaluate(first => performance.getEntriesByName('ergon:redraw').slice(first).map(({duration}) => duration), from);
}

async function fewRows(page) {
  // The last of 10,000 lines is there, and its row is one of few.
  await page.locator('.lines').focus();
  await page.keyboard.press('End');
  await page.locator('.lines .row[data-line="10000"]').waitFor();
  check(await page.locator('.lines .row').count() < 120, 'only lines in sight are rows');
  check(await page.locator('.functions .row').count() < 80, 'only functions in sight are rows');
}

for (const machine of MACHINES) {
  await withReport(report, async page => {
    loads.push(page.loadMs);
    const drag = await moved(page, false);
    console.log(`${machine}, moves in a row: ${told(drag)}`);
    drags.push(drag);
    check(page.workers().length === 2, 'colours are made beside the model');
    if (drags.length > 1)
      return;
    waited = await moved(page, true);
    await fewRows(page);
  }, {alone: true, before: settled, hash: `#set.n=1000&set.m=100&function=f002&machine=${machine}`});
}

const slowness = Math.max(1, Math.min(...references) / REFERENCE_MS);
const calmest = measure => Math.min(...drags.map(measure));
const found = {
  mb, load_ms: Math.min(...loads), redraw_ms: median(waited), late_redraw_ms: late(waited),
  row_ms: calmest(median), late_row_ms: calmest(late),
};
console.log(`size ${mb.toFixed(2)} MB; load ${loads.map(Math.round).join(' ')} ms; ` +
            `slider to redraw, each move when all is computed: ${told(waited)}`);
console.log(`fixed work ${references.map(Math.round).join(' ')} ms: limits in time are ${slowness.toFixed(2)} times as long`);
for (const [what, limit] of Object.entries(LIMITS)) {
  const most = what === 'mb' ? limit : limit * slowness;
  check(found[what] <= most, `${what} ${found[what]} is at most ${most}`);
}
console.log('within the limits');
