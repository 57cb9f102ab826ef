// Files of a new project that are the same for every contract.
import { readKitFile } from '../kit';

/** The file of the workflow, here and in a project. */
export const WORKFLOW = '.github/workflows/ci.yml';

export const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "lib": ["es2023", "esnext.disposable"],
    "module": "node20",
    "types": ["node", "jest"],
    "noEmit": true,
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "exactOptionalPropertyTypes": true,
    "noImplicitReturns": true,
    "noImplicitOverride": true,
    "isolatedModules": true,
    "esModuleInterop": true,
    "skipLibCheck": true
  },
  "include": ["src", "tests", "generated"]
}
`;

export const BUILD_TSCONFIG = `{
  "extends": "../tsconfig.json",
  "compilerOptions": { "noEmit": false, "rootDir": ".", "outDir": "../dist", "sourceMap": true, "types": ["node"] },
  "include": ["."]
}
`;

export const GITIGNORE = ['node_modules/', '/dist/', '/data/', '/reports/', '*.tsbuildinfo', ''].join('\n');

export const DOCKERIGNORE = `# Nothing but what the Dockerfile copies.
*
!.npmrc
!package.json
!package-lock.json
!tsconfig.json
!openapi.yaml
!generated
!src
!vendor
`;

/** Writes the Dockerfile of a new project, with the base image of the Dockerfile in this repository. */
export function makeDockerfile(): string {
  const [, image = ''] = /^FROM (\S+)/m.exec(readKitFile('Dockerfile')) ?? [];
  return `FROM ${image} AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
COPY vendor vendor
RUN npm ci
COPY tsconfig.json ./
COPY generated generated
COPY src src
RUN npm run build

FROM ${image} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY vendor vendor
# No package that the service runs with needs its install script.
RUN npm ci --omit=dev --ignore-scripts

FROM ${image}
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json openapi.yaml ./
# With the contract itself, where it is bundled of several files.
COPY generated/contract.js generated/openapi.* generated/
ENV HOST=0.0.0.0 PORT=3000 ADMIN_HOST=0.0.0.0 ADMIN_PORT=3001
EXPOSE 3000 3001
# A number: Kubernetes cannot tell that a name is not root. It is the user node of the base image.
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s \\
  CMD ["node", "-e", "fetch(\`http://127.0.0.1:\${process.env.ADMIN_PORT}/readyz\`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm in between: signals reach node. What follows the image's name are arguments, such as --check.
ENTRYPOINT ["node", "dist/main.js"]
`;
}

/** Writes the CI workflow of a new project, with each action at the commit that this repository's workflow uses. */
export function makeWorkflow(): string {
  // Such as actions/checkout@0123abc # v4.
  const pins = readKitFile(WORKFLOW).match(/(?<=uses: ).*/g) ?? [];
  const pinOf = (action: string): string => String(pins.find((pin) => pin.startsWith(`${action}@`)));
  return `name: CI

on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    steps:
      - uses: ${pinOf('actions/checkout')}
        with:
          persist-credentials: false
      - uses: ${pinOf('actions/setup-node')}
        with:
          node-version: 26
      - run: npm ci
      - run: npm test
`;
}
