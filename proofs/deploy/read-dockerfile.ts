import { readFileSync } from 'node:fs';
import { DockerfileParser, type Instruction, type ModifiableInstruction } from 'dockerfile-ast';

export interface Stage {
  /** `image` for the one without, which is the last one. */
  readonly name: string;
  readonly from: string;
  readonly steps: readonly Step[];
}

/** An instruction after FROM. */
export interface Step {
  readonly keyword: string;
  /** Those such as `--from=build`. */
  readonly flags: Readonly<Record<string, string>>;
  /** What follows the flags. */
  readonly text: string;
}

export function readDockerfile(file = 'deploy/Dockerfile'): Stage[] {
  const stages: { name: string; from: string; steps: Step[] }[] = [];
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    const step = toStep(instruction);
    if (step.keyword === 'FROM') {
      const [from = '', , name = 'image'] = step.text.split(' ');
      stages.push({ name, from, steps: [] });
    } else {
      stages.at(-1)?.steps.push(step);
    }
  }
  return stages;
}

function toStep(instruction: Instruction): Step {
  const flags = 'getFlags' in instruction ? (instruction as ModifiableInstruction).getFlags() : [];
  return {
    keyword: instruction.getKeyword(),
    flags: Object.fromEntries(flags.map((flag) => [flag.getName(), flag.getValue() ?? ''])),
    text: instruction.getArgumentsContent() ?? '',
  };
}

/** @throws Error when there is no such stage */
export function findStage(stages: readonly Stage[], name = 'image'): Stage {
  const stage = stages.find((one) => one.name === name);
  if (stage === undefined) throw new Error(`there is no stage ${name}`);
  return stage;
}

/** The texts of all steps with a keyword. */
export function findTexts({ steps }: Stage, keyword: string): string[] {
  return steps.flatMap((step) => (step.keyword === keyword ? step.text : []));
}

/** The command of an exec form; a shell form is refused. */
export function toCommand(text: string | undefined): string[] {
  return JSON.parse(String(text).replace(/^CMD /, '')) as string[];
}

export function readEnv(stage: Stage): Record<string, string> {
  const pairs = findTexts(stage, 'ENV').flatMap((text) => text.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]));
}

/** What of this repository a build may see: the ignore file beside the Dockerfile refuses all else. */
export function readContext(file = 'deploy/Dockerfile.dockerignore'): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const [all, ...allowed] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (all !== '*' || allowed.some((line) => !/^![\w.-]+$/.test(line)))
    throw new Error(`${file} is no list of exceptions`);
  return allowed.map((line) => line.slice(1));
}
