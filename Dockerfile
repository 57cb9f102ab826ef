# Debian, not Alpine: Node's own builds are for glibc, and so is the Node that comes with the packages, in which the tests
# run. For a build that can be repeated exactly, pin the digest too, in all three places: docker buildx imagetools inspect
# node:26.10.0-trixie-slim prints it, and the tag becomes node:26.10.0-trixie-slim@sha256:...
FROM node:26.10.0-trixie-slim AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
COPY packages packages
RUN npm ci
COPY tsconfig.json ./
COPY generated generated
COPY src src
RUN npm run build

FROM node:26.10.0-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Not those of the tools: npm would install what they need, too.
COPY packages/server/package.json packages/server/
COPY packages/store/package.json packages/store/
# No package that the service runs with needs its install script.
RUN npm ci --omit=dev --ignore-scripts

FROM node:26.10.0-trixie-slim
# Any user may write there: the container has one, whatever its number.
RUN mkdir -m 1777 /data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json openapi.yaml ./
COPY generated/contract.js generated/
COPY packages/server/package.json packages/server/
COPY packages/server/src/docs/page packages/server/src/docs/page
COPY --from=build /app/packages/server/dist packages/server/dist
COPY packages/store/package.json packages/store/
COPY --from=build /app/packages/store/dist packages/store/dist
ENV HOST=0.0.0.0 PORT=3000 ADMIN_HOST=0.0.0.0 ADMIN_PORT=3001 DATABASE_URL=file:/data/plants.db
EXPOSE 3000 3001
VOLUME /data
# A number: Kubernetes cannot tell that a name is not root. It is the user node of the base image.
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm in between: signals reach node. What follows the image's name are arguments, such as --check.
ENTRYPOINT ["node", "dist/main.js"]
