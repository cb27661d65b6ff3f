// A function whose formulas take long: slow.mjs REPORT
import {check, equal, near, numberIn, withReport} from './browser.mjs';

const [report] = process.argv.slice(2);
/// The model is at n = 1000000 for several times as long.
const WITHIN_MS = 5000;
const energy = page => numberIn(page, '#total-energy');
const give = (page, n) => page.locator('#controls input[type=text]').first().evaluate((field, value) => {
  field.value = value;
  for (const name of ['input', 'change'])
    field.dispatchEvent(new Event(name, {bubbles: true}));
}, String(n));
const said = page => page.locator('#computing').textContent();
const idle = page => page.waitForFunction(() => !document.documentElement.hasAttribute('data-busy'), null, {timeout: WITHIN_MS});

await withReport(report, async page => {
  await idle(page);
  const small = await energy(page);
  await give(page, 2000);
  await idle(page);
  const wanted = await energy(page);
  check(wanted > small, 'more elements, more energy');

  await give(page, 1000000);
  await page.waitForFunction(() => document.querySelector('#computing').textContent, null, {timeout: WITHIN_MS});
  equal(await said(page), 'computing …', 'what the page says');
  check(await page.locator('main').getAttribute('aria-busy'), 'numbers are marked as those of other values');
  // The page is there meanwhile.
  await page.locator('.functions .row', {hasText: 'quick'}).hover();
  await page.locator('input[type=search]').fill('quick');
  await page.waitForFunction(() => document.querySelectorAll('.functions .row:not(.heading):not([hidden])').length === 1, null, {timeout: WITHIN_MS});
  equal(await said(page), 'computing …', 'it still computes');

  await give(page, 2000);
  await idle(page);
  near(await energy(page), wanted, 'the energy of the newest value');
  equal(await said(page), '', 'nothing is waited for');

  // Not so long that it is left: what is given while the model is at it comes after it.
  await give(page, 20000);
  await give(page, 1000);
  await idle(page);
  near(await energy(page), small, 'the energy of the last of two values');
}, {hash: '#set.n=1000&function=slow'});
console.log('answered');
