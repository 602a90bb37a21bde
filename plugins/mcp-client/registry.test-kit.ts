import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tarball } from "../../test/helpers/tarball.ts";
import { serverFile } from "./mcp.test-kit.ts";

type Facts = Readonly<Record<string, unknown>>;

export interface PackageRegistry extends AsyncDisposable {
  readonly url: string;
  /** Whatever was asked for. */
  readonly asked: readonly string[];
  /**
   * Publishes a package with these files; `dist` is what the registry says of its bytes beside
   * their address.
   */
  publish(
    facts: Facts & { readonly name: string; readonly version: string },
    files?: Facts,
    dist?: Facts,
  ): void;
}

/** A package registry on loopback. */
export async function packageRegistry(): Promise<PackageRegistry> {
  const versions = new Map<string, Record<string, Facts>>();
  const bytesOf = new Map<string, Buffer>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const at = decodeURIComponent(request.url ?? "");
    asked.push(at);
    const [bytes, own] = [bytesOf.get(at), versions.get(at.slice(1))];
    if (bytes) return response.end(bytes);
    if (!own) return response.writeHead(404).end("{}");
    const latest = Object.keys(own).at(-1);
    return response.end(JSON.stringify({ name: at.slice(1), "dist-tags": { latest }, versions: own }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    publish(facts, files = {}, dist) {
      const { name, version } = facts;
      const entries = Object.entries({ "package.json": JSON.stringify(facts), ...files });
      const bytes = tarball(
        entries.map(([file, content]) => ({ name: `package/${file}`, content: String(content) })),
      );
      const file = `/files/${name}-${version}.tgz`;
      bytesOf.set(file, bytes);
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      const own = { ...facts, dist: { tarball: url + file, ...(dist ?? { integrity }) } };
      versions.set(name, { ...versions.get(name), [version]: own });
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** The small server as a package, which needs another one, and has scripts that make `marker`. */
export function smallPackage(
  registry: PackageRegistry,
  version: string,
  marker: string,
  more: Facts = {},
): void {
  const scripts = { preinstall: `touch ${marker}`, postinstall: `touch ${marker}` };
  const facts = { name: "@small/server", version, type: "module", bin: "cli.js", scripts };
  registry.publish(
    { ...facts, dependencies: { words: "^1.0.0" }, hasInstallScript: true, ...more },
    {
      "cli.js": `#!/usr/bin/env node\nimport "words";\n${readFileSync(serverFile, "utf8")}`,
      "release.txt": version,
    },
  );
}

/** Publishes the package that the small server needs. */
export function wordsPackage(registry: PackageRegistry, dist?: Facts): void {
  const facts = { name: "words", version: "1.0.0", type: "module", exports: "./index.js" };
  registry.publish(facts, { "index.js": "export const words = 1;\n" }, dist);
}
