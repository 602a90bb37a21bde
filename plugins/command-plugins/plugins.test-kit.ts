import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { bin } from "../../test/helpers/cli.ts";
import { tarball } from "../../test/helpers/tarball.ts";
import { integrityOf } from "./registry.ts";
import { readTarball } from "./read-tarball.ts";

const root = path.join(import.meta.dirname, "../..");

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function runNode(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const { PATH = "", HOME = "" } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...args],
      { cwd: options.cwd, env: { PATH, HOME, ...options.env } },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

export interface Place extends AsyncDisposable {
  readonly dir: string;
  readonly configDir: string;
  gantry(...args: readonly string[]): Promise<Ended>;
}

/** A directory of its own, and the real command line with its configuration in it. */
export async function place(): Promise<Place> {
  const dir = await mkdtemp(path.join(tmpdir(), "gantry-plugins-"));
  const configDir = path.join(dir, "config");
  await mkdir(configDir, { mode: 0o700 });
  return {
    dir,
    configDir,
    gantry: (...args) => runNode([bin, ...args], { cwd: dir, env: { SERVICE_CONFIG_DIR: configDir } }),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

const base = new URL("./index.ts", import.meta.url).href;

/** The files of a tarball, by the way that `plugins add` takes. */
export function unpacked(bytes: Uint8Array): ReturnType<typeof readTarball> {
  return readTarball("x", bytes, { base, sandbox: undefined }, new AbortController().signal);
}

/**
 * Packs the sdk as it would be published and puts it where a plugin in `dir` finds it, with typebox
 * and the types of Node.
 */
export async function installSdk(dir: string): Promise<void> {
  const packed = await new Promise<string>((resolve, reject) => {
    const args = ["pack", "--json", "--pack-destination", dir];
    execFile("npm", args, { cwd: path.join(root, "sdk") }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
  const { filename } = (
    Object.values(JSON.parse(packed.slice(packed.search(/[[{]/))) as object) as { filename: string }[]
  )[0] ?? {
    filename: "",
  };
  const files = await unpacked(await readFile(path.join(dir, filename)));
  for (const [name, bytes] of files) await put(path.join(dir, "node_modules/@gantry/sdk", name), bytes);
  const { dependencies } = JSON.parse(await readFile(path.join(root, "sdk/package.json"), "utf8")) as {
    dependencies: object;
  };
  for (const name of [...Object.keys(dependencies), "@types/node", "undici-types"]) {
    const link = path.join(dir, "node_modules", name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(root, "node_modules", name), link);
  }
}

async function put(file: string, bytes: Uint8Array | string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
}

/** A package of a tool that says where it was when it was imported. */
export function packageOf(
  facts: Readonly<Record<string, unknown>>,
  code: string = codeOf(["tools"]),
): Buffer {
  const whole = {
    name: "gantry-plugin-weather",
    version: "1.0.0",
    type: "module",
    exports: "./index.js",
    gantry: { provides: ["tools"] },
    ...facts,
  };
  return tarball([
    { name: "package/package.json", content: JSON.stringify(whole) },
    { name: "package/index.js", content: code },
  ]);
}

/** Written without the sdk, since from source a plugin outside has none to import. */
export function codeOf(provides: readonly string[], name: string = "weather"): string {
  const slots = provides.map((id) => `{ id: "${id}", many: true, maybe: false }`).join(", ");
  return `export default {
    name: "${name}", sdk: 3, summary: "Weather.", provides: [${slots}],
    setup: (host) => host.provide({ id: "tools", many: true, maybe: false }, {
      name: "weather", description: "The weather.", input: { type: "object", properties: {} }, run: async () => "sunny",
    }),
  };`;
}

export interface Registry extends AsyncDisposable {
  readonly url: string;
  publish(version: string, bytes: Buffer, change?: { readonly integrity?: string }): Promise<void>;
}

/** A registry on loopback that has the package gantry-plugin-weather. */
export async function registry(): Promise<Registry> {
  const versions: Record<string, object> = {};
  const bytesOf = new Map<string, Buffer>();
  let latest = "";
  const server = createServer((request, response) => {
    const bytes = bytesOf.get(request.url ?? "");
    if (bytes) return response.end(bytes);
    if (request.url === "/gantry-plugin-weather")
      return response.end(JSON.stringify({ "dist-tags": { latest }, versions }));
    return response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async publish(version, bytes, change = {}) {
      const file = `/files/${version}.tgz`;
      bytesOf.set(file, bytes);
      latest = version;
      versions[version] = {
        dist: { tarball: url + file, integrity: change.integrity ?? (await integrityOf(bytes)) },
      };
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
