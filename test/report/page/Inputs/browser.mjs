// A page in headless Chromium, watched: whatever it writes to the console, throws or asks the network for is a
// failure. The packages are found by NODE_PATH.
import {createRequire} from 'node:module';
import path from 'node:path';

const {chromium} = createRequire(path.join(process.env.NODE_PATH, 'x'))('playwright-core');
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
               '--disable-component-update', '--disable-sync'];

export function check(isSo, what) {
  if (!isSo)
    throw new Error(`not so: ${what}`);
}

export const equal = (found, wanted, what) => check(found === wanted, `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);

/// Six digits.
export function near(found, wanted, what) {
  check(Number.isFinite(found) && Number.isFinite(wanted) && Math.abs(found - wanted) <= 5e-7 * Math.abs(wanted),
        `${what}: ${found} instead of ${wanted}`);
}

const launched = () => chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS});
let shared, users = 0;

async function closeUnused() {
  if (users)
    return;
  const closed = shared;
  shared = undefined;
  await (await closed)?.close();
}

/// Runs \p use(page) on the report in \p file; fails where the page complained. Pages of one script are in one browser, each in
/// a context of its own; \p alone: in a browser of its own, where times count; \p before(page): with the empty page.
export async function withReport(file, use, {hash = '', size = {width: 1440, height: 900}, alone = false, before, ...context} = {}) {
  ++users;
  const browser = await (alone ? launched() : shared ??= launched());
  const complaints = [];
  let own;
  try {
    own = await browser.newContext({viewport: size, ...context});
    const page = await own.newPage();
    page.on('console', message => complaints.push(`console: ${message.text()}`));
    page.on('pageerror', error => complaints.push(`error: ${error.message}`));
    page.on('dialog', dialog => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', request => {
      if (!/^(file|blob):/.test(request.url()))
        complaints.push(`request: ${request.url().slice(0, 100)}`);
    });
    await before?.(page);
    const began = performance.now();
    await page.goto(`file://${path.resolve(file)}${hash}`);
    await page.waitForFunction(() => performance.getEntriesByName('ergon:shown').length || document.querySelector('.problem[role=alert]'));
    page.loadMs = performance.now() - began;
    await use(page);
    await page.waitForTimeout(100);
  } catch (problem) {
    throw new Error([problem.message, ...complaints].join('\n'), {cause: problem});
  } finally {
    await (alone ? browser : own)?.close();
    if (!--users)
      setTimeout(closeUnused, 100); // the script has ended, or opens its next page by then
  }
  check(!complaints.length, `the page is silent:\n${complaints.join('\n')}`);
}

/// Does what changes the numbers, and waits until the page shows the new ones; \p isSettled: all of them, not only those
/// in sight.
export async function redrawn(page, change, isSettled = true) {
  const before = await page.evaluate(() => performance.getEntriesByName('ergon:redraw').length);
  await change();
  await page.waitForFunction(count => performance.getEntriesByName('ergon:redraw').length > count, before);
  if (!isSettled)
    return;
  // Another round may follow, where two changes came in a row.
  await page.waitForFunction(() => !document.documentElement.hasAttribute('data-busy'));
}

/// The exact number that an element shows.
export const numberIn = async (page, selector) => {
  const text = await page.locator(selector).getAttribute('data-value');
  return text == null ? null : Number(text);
};
