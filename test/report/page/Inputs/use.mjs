// Uses a report as a person does: use.mjs REPORT STRICT_REPORT. With hands on the mouse, and with the keyboard alone.
import {check, equal, numberIn, redrawn, withReport} from './browser.mjs';

const [report, strict] = process.argv.slice(2);
const energy = page => numberIn(page, '#total-energy');
const theme = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function moveSliders(page) {
  const sliders = page.locator('#controls input[type=range]');
  const count = await sliders.count();
  check(count >= 2, 'the function has sliders');
  for (let at = 0; at < count; ++at) {
    const before = await energy(page);
    await redrawn(page, () => sliders.nth(at).evaluate(slider => {
      slider.value = String(Number(slider.value) + 100);
      slider.dispatchEvent(new Event('input', {bubbles: true}));
    }));
    const after = await energy(page);
    check(after > before, `slider ${at} moves the energy: ${before} to ${after}`);
  }
}

async function changeMachineAndSetting(page) {
  const before = await energy(page);
  await redrawn(page, () => page.selectOption('#machine', 'jetson-tk1'));
  const there = await energy(page);
  check(there > 0 && there !== before, 'another machine, another energy');
  await redrawn(page, async () => {
    await page.locator('#setting').selectOption({index: 3});
  });
  const slower = await energy(page);
  check(slower !== there, 'another setting, another energy');
  check((await page.locator('#where').textContent()).includes('jetson-tk1'), 'the heading names the machine');
  // A click on a point of the plane of settings chooses it.
  const points = page.locator('figure', {hasText: 'Clocks: time and energy'}).locator('svg .mark-symbol path');
  check(await points.count() === 16, 'each setting is a point');
  await redrawn(page, () => points.nth(10).click({force: true}));
  check(await energy(page) !== slower, 'a click on a point chooses the setting');
}

async function tooltips(page) {
  await page.locator('#roofs').scrollIntoViewIfNeeded();
  const plots = ['Where the energy goes', 'Clocks: time and energy', 'Time roofline', 'Arch line', 'Powerline', 'How far from the roof'];
  for (const title of plots) {
    const plot = page.locator('figure', {hasText: title});
    await plot.scrollIntoViewIfNeeded();
    const marks = plot.locator('svg .mark-symbol path, svg .mark-rect path');
    await marks.last().waitFor();
    await marks.last().hover({force: true});
    const tip = page.locator('.tip');
    await tip.waitFor({state: 'visible'});
    check(/\d/.test(await tip.textContent()), `${title}: the tooltip has a number`);
    await page.mouse.move(2, 2);
    await tip.waitFor({state: 'hidden'});
  }
}

async function formulas(page) {
  const line = page.locator('.lines .row[data-line="7"]');
  await line.scrollIntoViewIfNeeded();
  await line.hover();
  const shown = page.locator('#formula');
  check((await shown.textContent()).includes('2·m·n²'), `the formula of the line under the pointer: ${await shown.textContent()}`);
}

async function keyboardOnly(page) {
  const focusOn = async selector => {
    for (let tabs = 0; tabs < 60; ++tabs) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate(wanted => {
        const focused = document.activeElement;
        const {outlineStyle, outlineWidth} = getComputedStyle(focused);
        return {isIt: focused.matches(wanted), isSeen: outlineStyle !== 'none' && outlineWidth !== '0px', what: focused.outerHTML.slice(0, 80)};
      }, selector);
      check(found.isSeen, `focus is seen on ${found.what}`);
      if (found.isIt)
        return;
    }
    throw new Error(`the Tab key does not reach ${selector}`);
  };
  await page.evaluate(() => document.activeElement.blur());
  await focusOn('#machine');
  await focusOn('#controls > summary');
  await page.keyboard.press('Enter');
  await focusOn('#controls input[type=range]');
  let before = await energy(page);
  await redrawn(page, () => page.keyboard.press('ArrowRight'));
  check(await energy(page) !== before, 'an arrow key moves a slider');
  await focusOn('#controls input[type=text]');
  await page.keyboard.press('Control+a');
  await redrawn(page, () => page.keyboard.type('64'));
  await focusOn('.functions');
  const name = () => page.locator('#entry').textContent();
  const first = await name();
  await page.keyboard.press('Home');
  if (await page.locator('.functions .row.current').getAttribute('aria-selected') === 'true')
    await page.keyboard.press('ArrowDown');
  await redrawn(page, () => page.keyboard.press('Enter'));
  check(await name() !== first, 'Enter opens another function');
  await focusOn('.lines');
  await page.keyboard.press('Home');
  await page.keyboard.press('h');
  const line = Number(await page.locator('.lines .row.current').getAttribute('data-line'));
  check(await page.locator('.lines .row.current [data-value]').count() > 0, `h goes to a line with costs: ${line}`);
  check((await page.locator('#formula').textContent()).includes(`:${line}`), 'the formulas are those of the line under the keyboard');
  const active = await page.locator('.lines').getAttribute('aria-activedescendant');
  equal(await page.locator(`#${active}`).getAttribute('data-line'), String(line), 'who reads the screen is told of that line');
}

async function darkAndLight(page) {
  const light = await theme(page);
  await page.click('#theme');
  const dark = await theme(page);
  check(light !== dark, 'the button changes colours');
  const axis = await page.locator('figure svg text').first().evaluate(text => getComputedStyle(text).fill);
  await page.click('#theme');
  equal(await theme(page), light, 'and back');
  await page.waitForTimeout(200);
  check(await page.locator('figure svg text').first().evaluate(text => getComputedStyle(text).fill) !== axis, 'plots change too');
}

const values = '#set.n=512&set.m=64';
await withReport(report, async page => {
  check(await energy(page) > 0, 'there is an energy');
  await moveSliders(page);
  await changeMachineAndSetting(page);
  await tooltips(page);
  await formulas(page);
  await darkAndLight(page);
}, {hash: `${values}&function=product`});
await withReport(report, keyboardOnly, {hash: `${values}&function=product`});

// Which numbers the counts are exact for, and that others wrap around.
await withReport(report, async page => {
  const notes = page.locator('#notes');
  check((await notes.textContent()).includes('m·n ≤ 4294967295 (program.c:27:'), `a range check: ${await notes.textContent()}`);
  check(!(await notes.textContent()).includes('No count is exact'), 'these numbers fit');
}, {hash: `${values}&function=wide`});
await withReport(report, async page => {
  check((await page.locator('#notes').textContent()).includes('wraps around at: program.c:27:'), 'these do not');
}, {hash: '#set.n=65536&set.m=65537&function=wide'});

// As the system says, and a link shows what was looked at.
await withReport(report, async page => {
  check((await theme(page)).match(/\d+/g).every(part => Number(part) < 60), 'dark where the system is dark');
  await redrawn(page, () => page.selectOption('#machine', 'epyc-9654'));
  await page.waitForFunction(() => location.hash.includes('machine=epyc-9654'));
  const [address, was] = [await page.evaluate(() => location.hash), await energy(page)];
  await withReport(report, async again => equal(await energy(again), was, 'the energy behind a link'), {hash: address});
}, {hash: values, colorScheme: 'dark'});

// Twice as large: everything is still there, and nothing needs scrolling to the side.
await withReport(report, async page => {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  equal(wide, 0, 'pixels too wide at 200 %');
  for (const part of ['#machine', '#total-energy', '.functions', '.lines', '#formula', '#roofs'])
    check(await page.locator(part).isVisible(), `${part} is there at 200 %`);
}, {hash: values, size: {width: 640, height: 450}});

// Without values, they are estimated, which the page says first.
await withReport(report, async page => {
  await page.click('#given');
  const needs = page.locator('#needs');
  check((await needs.textContent()).includes('values are estimated'), 'what is estimated is said');
  const estimated = await numberIn(page, '#total-energy');
  check(estimated > 0, 'an energy with estimates');
  equal(await page.locator('#value-n').getAttribute('placeholder'), '≈ 1000', 'the estimate stands in its field');
  await needs.getByRole('button', {name: 'n', exact: true}).click();
  await redrawn(page, () => page.keyboard.type('8'));
  check(!(await needs.getByRole('button', {name: 'n', exact: true}).count()), 'what is given is no longer estimated');
  check(await numberIn(page, '#total-energy') < estimated, 'less energy with a smaller value');
}, {hash: '#function=product'});

// A strict report asks for them.
await withReport(strict, async page => {
  const needs = page.locator('#needs');
  check((await needs.textContent()).includes('values are needed'), 'values are asked for');
  await needs.getByRole('button', {name: 'n', exact: true}).click();
  await redrawn(page, () => page.keyboard.type('8'));
  check(!(await needs.getByRole('button', {name: 'n', exact: true}).count()), 'what is given is no longer asked for');
  equal(await numberIn(page, '#total-energy'), null, 'no energy before all is known');
}, {hash: '#function=product'});
console.log('used');
