# An image with the command bowerbird, built from these sources and the npm registry:
#   docker build -t bowerbird .
#   docker run --rm -v "$PWD:/data" bowerbird run birds
ARG NODE=node:22-bookworm-slim

FROM ${NODE} AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run package -- --pack-destination /tmp && mv /tmp/bowerbird-*.tgz /tmp/bowerbird.tgz

FROM ${NODE}
COPY --from=build /tmp/bowerbird.tgz /tmp/bowerbird.tgz
# The programs of onnxruntime-node come from its package; nothing else is fetched.
RUN npm install --global --ignore-scripts --no-audit --no-fund /tmp/bowerbird.tgz && rm -r /tmp/bowerbird.tgz /root/.npm
ENV BOWERBIRD_CACHE=/cache
VOLUME /cache
WORKDIR /data
ENTRYPOINT ["bowerbird"]
CMD ["--help"]
