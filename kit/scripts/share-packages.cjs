// In the folder of an application, the kit uses the application's Express, express-openapi-validator and Ajv: with copies of
// its own, what the application configures or extends would not be what the kit runs.
const { existsSync, readFileSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');

process.chdir(join(__dirname, '..'));

const versionOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;

for (const name of ['ajv', 'express', 'express-openapi-validator']) {
  const [own, shared] = [join('node_modules', name), join('../node_modules', name)];
  if (!existsSync(own) || !existsSync(shared) || versionOf(own) !== versionOf(shared)) continue;
  rmSync(own, { recursive: true, force: true });
  symlinkSync(join('..', shared), own);
}
