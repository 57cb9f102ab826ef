// In the folder of an application, the kit uses the application's Express, express-openapi-validator and Ajv: with copies of
// its own, what the application configures or extends would not be what the kit runs.
const { existsSync, readFileSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');

process.chdir(join(__dirname, '..'));

const versionOf = (folder) => {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
};

for (const name of ['ajv', 'express', 'express-openapi-validator']) {
  const [own, shared] = [join('node_modules', name), join('../node_modules', name)];
  const version = versionOf(shared);
  // In a clone of which only the root is installed, there is nothing to share. Over an earlier link, npm may leave a folder
  // without the package.
  if (!existsSync('node_modules') || !version || (versionOf(own) ?? version) !== version) continue;
  rmSync(own, { recursive: true, force: true });
  symlinkSync(join('..', shared), own);
}
