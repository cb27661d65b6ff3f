// A report of large.py's program: how large, how soon shown, how soon redrawn: large.mjs REPORT [MOVES]
import {statSync} from 'node:fs';
import {check, redrawn, withReport} from './browser.mjs';

const [report, moves = '15'] = process.argv.slice(2);
const LIMITS = {mb: 8, load_ms: 2000, redraw_ms: 100};
const median = numbers => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const mb = statSync(report).size / 1e6;
const loads = [], redraws = [];
for (let run = 0; run < 3; ++run)
  await withReport(report, async page => {
    loads.push(page.loadMs);
    if (run)
      return;
    const slider = page.locator('#controls input[type=range]').first();
    for (let move = 0; move < Number(moves); ++move)
      await redrawn(page, () => slider.evaluate((element, value) => {
        element.value = String(value);
        element.dispatchEvent(new Event('input', {bubbles: true}));
      }, 300 + 10 * move));
    redraws.push(...await page.evaluate(() => performance.getEntriesByName('ergon:redraw').map(({duration}) => duration)));
    // The last of 10,000 lines is there, and its row is one of few.
    await page.locator('.lines').focus();
    await page.keyboard.press('End');
    await page.locator('.lines .row[data-line="10000"]').waitFor();
    check(await page.locator('.lines .row').count() < 120, 'only lines in sight are rows');
    check(await page.locator('.functions .row').count() < 80, 'only functions in sight are rows');
  }, {hash: '#set.n=1000&set.m=100&function=f002'});
const found = {mb, load_ms: median(loads), redraw_ms: median(redraws)};
console.log(`size ${mb.toFixed(2)} MB; load ${loads.map(Math.round).join(' ')} ms; ` +
            `slider to redraw: median ${median(redraws).toFixed(1)} ms, most ${Math.max(...redraws).toFixed(1)} ms of ${redraws.length}`);
for (const [what, limit] of Object.entries(LIMITS))
  check(found[what] <= limit, `${what} ${found[what]} is at most ${limit}`);
console.log('within the limits');
