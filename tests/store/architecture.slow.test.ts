import { ESLint } from 'eslint';

const eslint = new ESLint();

test.each(['../contract/refusal', '../handlers/create-plant', '../service', '../log'])(
  'lint fails when the store knows %s',
  async (name) => {
    const [result] = await eslint.lintText(`import '${name}';\n`, { filePath: 'src/store/sqlite.ts' });
    expect(result?.messages.map(({ ruleId }) => ruleId)).toContain('no-restricted-imports');
  },
);
