// Pictures of a report: images.mjs REPORT FOLDER
import path from 'node:path';
import {withReport} from './browser.mjs';

const [report, folder] = process.argv.slice(2);
const settled = page => page.waitForFunction(() => !document.documentElement.hasAttribute('data-busy'));
const SIZE = {width: 1400, height: 1060};

await withReport(report, async page => {
  await settled(page);
  await page.waitForTimeout(300); // colours of the code
  await page.screenshot({path: path.join(folder, 'report-light.png')});
}, {size: SIZE});
await withReport(report, async page => {
  await settled(page);
  await page.locator('#totals').evaluate(element => element.scrollIntoView());
  await page.waitForTimeout(300);
  await page.screenshot({path: path.join(folder, 'report-dark.png')});
}, {size: SIZE, colorScheme: 'dark', hash: '#function=smooth&machine=epyc-7763'});
