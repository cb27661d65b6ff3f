// No violation of WCAG A and AA that axe-core finds, at three widths, in both colour schemes; and every part by the Tab key:
// accessible.mjs REPORT…
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {check, equal, withReport} from './browser.mjs';

const axe = readFileSync(createRequire(path.join(process.env.NODE_PATH, 'x')).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const WIDTHS = [390, 800, 1400];
const settled = page => page.waitForFunction(() => !document.documentElement.hasAttribute('data-busy'));

async function hasNoViolation(page, where) {
  await settled(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  equal(wide, 0, `pixels too wide: ${where}`);
  await page.evaluate(() => document.querySelectorAll('details').forEach(each => { each.open = true; }));
  await page.evaluate(axe);
  const {violations, passes} = await page.evaluate(rules => globalThis.axe.run({runOnly: rules}), RULES);
  const said = violations.flatMap(({id, nodes}) => nodes.map(node => `${id}: ${node.html.slice(0, 120)}: ${node.failureSummary}`));
  check(!said.length, `${where}:\n${said.join('\n')}`);
  check(passes.some(({id}) => id === 'color-contrast'), 'contrasts were looked at');
}

/// Tab goes to every part once and leaves no one; what has the focus is seen.
async function walks(page) {
  await settled(page);
  const reached = new Set();
  for (let tabs = 0; tabs < 80; ++tabs) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate(() => {
      const focused = document.activeElement, {outlineStyle, outlineWidth} = getComputedStyle(focused);
      const {width, height} = focused.getBoundingClientRect();
      return {isPage: focused === document.body, isSeen: outlineStyle !== 'none' && outlineWidth !== '0px' && width > 0 && height > 0,
              what: focused.outerHTML.slice(0, 90), part: focused.id || focused.closest('[id]')?.id, classes: focused.className};
    });
    if (found.isPage)
      break;
    check(found.isSeen, `focus is seen on ${found.what}`);
    for (const each of [found.part, ...found.classes.split(' ')])
      reached.add(each);
  }
  for (const part of ['machine', 'setting', 'given', 'theme', 'controls', 'functions', 'lines', 'file', 'flops', 'formula'])
    check(reached.has(part), `the Tab key reaches ${part}: ${[...reached].join(' ')}`);
}

for (const report of process.argv.slice(2)) {
  for (const colorScheme of ['light', 'dark'])
    for (const width of WIDTHS)
      await withReport(report, page => hasNoViolation(page, `${width} px, ${colorScheme}`),
                       {size: {width, height: 900}, colorScheme, bypassCSP: true, hash: '#set.n=512&set.m=64'});
  await withReport(report, walks, {hash: '#set.n=512&set.m=64'});
}
console.log('accessible');
