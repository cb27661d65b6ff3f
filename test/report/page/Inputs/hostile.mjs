// A report of hostile.py's sources: all of it is text, and no file is annotated that is not as it was recorded.
import {check, equal, withReport} from './browser.mjs';

const [report, otherReport] = process.argv.slice(2);
await withReport(report, async page => {
  equal(await page.locator('img, iframe, object, embed').count(), 0, 'elements that the sources bring');
  equal(await page.locator('script').count(), 3, 'scripts: the model, the data, the page');
  check((await page.locator('#entry').textContent()).includes('</script><img src=x onerror=alert(1)>'), 'the name is shown as it is');
  check((await page.locator('#where').textContent()).includes('</script><img src=x onerror=alert(3)>\'".c:5'), 'the path too');
  const code = async line => page.locator(`.lines .row[data-line="${line}"] .code`).textContent();
  check((await code(5)).includes('onerror=alert(1)><!-- <script>alert(2)</script>'), 'the comment too');
  check((await code(6)).includes('‹U+202E›right to left‹U+202C›') && (await code(6)).includes('‹U+200B›'), `characters that hide are shown: ${await code(6)}`);
  check((await code(9)).includes('"</script><script>alert(6)</script>"'), 'the string too');
  check(await page.locator('.lines .row[data-line="8"] [data-value]').count() > 0, 'the line has its costs');
  for (const [ending, wanted] of [['latin1.h', 'not UTF-8'], ['changed.h', 'has changed'], ['missing.h', 'not found']]) {
    const path = (await page.locator('#file option').evaluateAll(options => options.map(each => each.value))).find(each => each.endsWith(ending));
    check(path, `${ending} can be chosen`);
    await page.selectOption('#file', path);
    await page.waitForFunction(text => document.querySelector('#source .message').textContent.includes(text), wanted);
    equal(await page.locator('.lines .row [data-value]:visible').count(), 0, `numbers at lines of ${ending}`);
  }
}, {hash: '#set.n=1000&machine=jetson-tk1'});
// A path that is not UTF-8.
await withReport(otherReport, async page => {
  check((await page.locator('#where').textContent()).includes('odd\\xff/name\\xe9.c:1'), 'the path is shown with its bytes');
  check((await page.locator('#source .message').textContent()).includes('not found'), 'its lines are not shown');
});
// Whatever stands in the address is no more than text either.
await withReport(report, async page => {
  equal(await page.locator('img').count(), 0, 'elements from the address');
}, {hash: `#set.n=${encodeURIComponent('<img src=x onerror=alert(7)>')}&set.%3Cimg%3E=1&machine=%22%3E%3Cimg%3E&filter=%3Cimg%3E&line=1e9&sort=__proto__`});
console.log('harmless');
