import { readFileSync, writeFileSync } from 'node:fs';
import { startApp, TOKEN } from '../start-app';
import { loadText } from '../load-text';
import { openPage } from './open-page';
test('x', async () => {
  const yaml = readFileSync('openapi.yaml','utf8').replace('value: { id: 1, name', 'value: { id: 9007199254740993, name').replace('example: 1\n', 'maximum: 9223372036854775807\n              example: 9007199254740993\n');
  await using app = await startApp({ contract: loadText(yaml) });
  await using open = await openPage('/usr/bin/chromium', `http://127.0.0.1:${app.port}/docs`, 1280);
  const { page } = open;
  await page.click('.opblock-summary-control');
  await page.click('.try-out__btn');
  console.log(await page.inputValue('textarea.body-param__text'));
  await page.click('.model-container:nth-of-type(2) button').catch(() => 0);
  await page.screenshot({ path: '/tmp/big.png', fullPage: true });
  console.log(open.complaints);
}, 60000);
