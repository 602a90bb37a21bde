import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { RouteReply, RouteRequest } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { ConsoleWork } from "./routes.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

interface Asset {
  readonly bytes: Uint8Array;
  readonly packed: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Serves the files that the build has made; each is read when it is first asked for. */
export function pageWork(base: string): Pick<ConsoleWork, "page" | "file"> {
  // Run from source the files stand where the build puts them.
  const built = base.endsWith(".ts") ? "../../host/dist/plugins/console-web/page/" : "./page/";
  const folder = fileURLToPath(new URL(built, base));
  const assets = new Map<string, Promise<Asset>>();
  let names: Promise<ReadonlySet<string>> | undefined;
  const answer = async (name: string, request: RouteRequest): Promise<RouteReply> => {
    names ??= namesIn(folder).catch((error: unknown) => {
      names = undefined;
      throw error;
    });
    if (!(await names).has(name)) return missing(name);
    let asset = assets.get(name);
    if (!asset) assets.set(name, (asset = readAsset(folder, name)));
    return replyOf(await asset, request);
  };
  return {
    page: (request) => answer("index.html", request),
    file(request) {
      const { name = "" } = request.params;
      return answer(/^[a-z]+$/.test(name) ? "index.html" : name, request);
    },
  };
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) throw errors.CONSOLE_NOT_BUILT(folder);
  return new Set(names.filter((name) => types[extension(name)] !== undefined));
}

function extension(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function missing(name: string): RouteReply {
  const { code, message } = errors.CONSOLE_NO_PAGE(name.slice(0, 100));
  return { status: 404, body: { error: { code, message } } };
}

async function readAsset(folder: string, name: string): Promise<Asset> {
  const bytes = await readFile(`${folder}${name}`);
  return {
    bytes,
    packed: await promisify(gzip)(bytes, { level: 9 }),
    headers: {
      "content-type": types[extension(name)] ?? "",
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
      // A browser asks each time whether the file is still the same: an update counts at once.
      "cache-control": "no-cache",
      vary: "accept-encoding",
      etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    },
  };
}

function replyOf({ bytes, packed, headers }: Asset, { headers: asked }: RouteRequest): RouteReply {
  if (asked["if-none-match"] === headers["etag"]) {
    return { status: 304, bytes: new Uint8Array(), headers };
  }
  // Brotli is left out on purpose: not every Node that runs this unpacks it safely.
  const takesGzip = /(?:^|,)\s*gzip\s*(?:,|$)/.test(String(asked["accept-encoding"] ?? ""));
  return takesGzip
    ? { status: 200, bytes: packed, headers: { ...headers, "content-encoding": "gzip" } }
    : { status: 200, bytes, headers };
}
