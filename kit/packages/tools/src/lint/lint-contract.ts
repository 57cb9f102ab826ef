import { dirname, join, resolve } from 'node:path';
import {
  BaseResolver,
  type Config,
  createConfig,
  findConfig,
  lintDocument,
  loadConfig,
  makeDocumentFromString,
  Source,
} from '@redocly/openapi-core';
import { indentBrackets, localizeReferences } from '@contract-kit/contract';
import type { Bundle } from '../bundle/bundle-contract';
import { type ContractFiles, toPlace, toReferencedPath } from '../bundle/contract-files';
import type { ContractDiagnostic } from '../diagnostics/diagnostic';

/** Lints a contract with the redocly.yaml next to it or in .config/, or else with Redocly's recommended rules and RULES. */
export async function lintContract({ file, files }: Bundle): Promise<ContractDiagnostic[]> {
  const path = resolve(file);
  const config = await readConfig(dirname(path));
  const document = makeDocumentFromString(indentBrackets(String(files.get(path)?.text)).text, path);
  localizeReferences(document.parsed);
  const lint = lintDocument({ document, config, externalRefResolver: new FilesResolver(files) });
  // A rule can throw for an unusual document.
  const problems = await lint.catch((error: unknown) => [
    {
      ruleId: 'redocly',
      message: (error as Error).message,
      ignored: false,
      location: [{ source: document.source, pointer: '#', reportOnKey: false }],
    },
  ]);
  return problems.flatMap(({ ruleId, message, ignored, location: [place] }) => {
    const origin = files.get(String(place?.source.absoluteRef));
    if (!origin || !place || ignored === true) return [];
    const { pointer = '#', reportOnKey } = place;
    return [
      {
        message: `${message} (${ruleId})`,
        pointer: origin.name + pointer,
        locate: () => toPlace(origin, pointer, reportOnKey),
      },
    ];
  });
}

// Parts of Redocly's configurable rules. A rule has a subject and assertions; `where` restricts the subjects.
const PARAMETER = { type: 'Parameter' };
const NAME = { ...PARAMETER, property: 'name' };
const NOT_RESERVED = { disallowed: ['allowReserved'] };
const exclude = (type: string, ...fields: string[]) => ({
  subject: { type },
  assertions: { mutuallyExclusive: fields },
});
const where = (property: string, values: string[], subject: object, assertions: object) => ({
  where: [{ subject: { ...PARAMETER, property }, assertions: { enum: values, defined: true } }],
  subject,
  assertions,
});

// OpenAPI rules that Redocly does not check.
const RULES = {
  'parameter-examples': exclude('Parameter', 'example', 'examples'),
  'header-examples': exclude('Header', 'example', 'examples'),
  'media-type-examples': exclude('MediaType', 'example', 'examples'),
  'content-style': exclude('Parameter', 'content', 'style'),
  'xml-attribute': exclude('Xml', 'nodeType', 'attribute'),
  'xml-wrapped': exclude('Xml', 'nodeType', 'wrapped'),
  'querystring-schema': where('in', ['querystring'], PARAMETER, { disallowed: ['schema', 'style'] }),
  'header-allowReserved': { subject: { type: 'Header' }, assertions: NOT_RESERVED },
  'parameter-allowReserved': where('in', ['header'], PARAMETER, NOT_RESERVED),
  'cookie-allowReserved': where('style', ['cookie'], PARAMETER, NOT_RESERVED),
  'header-name': where('in', ['header'], NAME, { pattern: "/^[\\w!#$%&'*+.^`|~-]+$/" }),
  'path-name': where('in', ['path'], NAME, { pattern: '/^[^{}]*$/' }),
};
const BEFORE_3_2 = { 'path-allowReserved': where('in', ['path', 'cookie'], PARAMETER, NOT_RESERVED) };

function toRules(rules: Readonly<Record<string, object>>) {
  const severity = 'warn' as const;
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [`rule/${name}`, { ...rule, severity, message: '{{problems}}' }]),
  );
}

function readConfig(folder: string): Promise<Config> {
  const configPath = findConfig(folder) ?? findConfig(join(folder, '.config'));
  return configPath === undefined
    ? createConfig({
        extends: ['recommended'],
        rules: toRules(RULES),
        oas3_0Rules: toRules(BEFORE_3_2),
        oas3_1Rules: toRules(BEFORE_3_2),
      })
    : loadConfig({ configPath });
}

/** Gives Redocly the files that have already been read, so that it opens and fetches nothing itself. */
class FilesResolver extends BaseResolver {
  private readonly files: ContractFiles['files'];

  constructor(files: ContractFiles['files']) {
    super();
    this.files = files;
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    return toReferencedPath(base ?? '', reference);
  }

  override loadExternalRef(path: string): Promise<Source> {
    const file = this.files.get(path);
    if (file) return Promise.resolve(new Source(path, file.text));
    return Promise.reject(new Error(`${path} is not one of the contract's files`));
  }
}
