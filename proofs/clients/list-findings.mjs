// Prints as JSON what the OWASP rules of Spectral find in a contract: all rules, and those that it does not meet.
import { readFileSync } from 'node:fs';
import spectral from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import parsers from '@stoplight/spectral-parsers';

const [, , file] = process.argv;
const linter = new spectral.Spectral();
linter.setRuleset(owasp);
const findings = await linter.run(new spectral.Document(readFileSync(file, 'utf8'), parsers.Yaml, file));
const unmet = new Set(findings.map(({ code }) => String(code)));
process.stdout.write(JSON.stringify({ rules: Object.keys(linter.ruleset.rules), unmet: [...unmet] }));
