// A run of 3 s and 14 J, where the model alone says 1 s and 3 J: measured.mjs REPORT
import {check, equal, near, numberIn, redrawn, withReport} from './browser.mjs';

const [report] = process.argv.slice(2);
const give = (page, n) => redrawn(page, () => page.locator('#controls input[type=text]').first().evaluate((field, value) => {
  field.value = value;
  for (const name of ['input', 'change'])
    field.dispatchEvent(new Event(name, {bubbles: true}));
}, n));
const notes = async page => (await page.locator('#notes').textContent()).replaceAll('\u202f', ' ');

await withReport(report, async page => {
  near(await numberIn(page, '#total-time'), 3, 'the time that was measured');
  check((await notes(page)).startsWith('Measured at 1000 MHz core: 3 s, 14 J; the model alone says 1 s, 3 J (--measured-time)' +
                                       'A further run would tell most at 500 MHz core'), await notes(page));
  const plot = page.locator('figure', {hasText: 'Clocks: time and energy'});
  await plot.scrollIntoViewIfNeeded();
  const points = plot.locator('svg .mark-symbol path');
  await points.nth(3).waitFor(); // three settings and the run
  await give(page, '250000000');
  near(await numberIn(page, '#total-time'), 0.5, 'the time of the model at another value');
  check((await notes(page)).startsWith('Measured runs are of two, n = 500000000: these numbers are the model’s alone'), await notes(page));
  equal(await points.count(), 3, 'points without the run');
  await give(page, '500000000');
  near(await numberIn(page, '#total-time'), 3, 'the time that was measured, again');
  equal((await notes(page)).includes('model’s alone'), false, 'the run counts again');
});
console.log('shown');
