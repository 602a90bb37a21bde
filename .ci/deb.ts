import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "./packages.ts";
import { product } from "./product.ts";
import { filesIn } from "./release.ts";

/** Debian's names of the processors that there is an executable for. */
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
/** The libraries that Node is linked with. */
const depends = "libc6 (>= 2.28), libgcc-s1, libstdc++6";

/**
 * The path at which AppArmor looks for profiles when the system starts; its owner may change it.
 */
const profile = "etc/apparmor.d/gantry";

/**
 * Makes `gantry_<version>_<architecture>.deb` beside each `gantry-linux-<processor>` of a folder
 * and gives back the names. `documents` is a folder with `man/gantry.1` and `completion/`, as
 * `dist/package`. Nothing of it runs when it is installed or removed, and the same files make the
 * same bytes. It takes GNU tar.
 */
export function writeDebs(folder: string, documents: string): readonly string[] {
  return filesIn(folder).flatMap((program) => {
    const architecture = architectures[/^gantry-linux-(\w+)$/.exec(program)?.[1] ?? ""];
    if (!architecture) return [];
    const draft = mkdtempSync(path.join(folder, "deb-"));
    try {
      const tree = path.join(draft, "data");
      layOut(tree, path.join(folder, program), documents);
      const about = path.join(draft, "control");
      put(path.join(about, "control"), control(architecture, tree));
      put(path.join(about, "conffiles"), `/${profile}\n`);
      const name = `gantry_${debianVersion()}_${architecture}.deb`;
      const members = {
        "debian-binary": Buffer.from("2.0\n"),
        "control.tar.gz": packed(about),
        "data.tar.gz": packed(tree),
      };
      writeFileSync(path.join(folder, name), archive(members));
      return [name];
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  });
}

function layOut(tree: string, program: string, documents: string): void {
  const started = path.join(tree, "usr/bin/gantry");
  mkdirSync(path.dirname(started), { recursive: true });
  copyFileSync(program, started);
  chmodSync(started, 0o755);
  const share = path.join(tree, "usr/share");
  const page = gzipSync(readFileSync(path.join(documents, "man/gantry.1")), { level: 9 });
  put(path.join(share, "man/man1/gantry.1.gz"), page);
  const completions = {
    "gantry.bash": "bash-completion/completions/gantry",
    _gantry: "zsh/vendor-completions/_gantry",
    "gantry.fish": "fish/vendor_completions.d/gantry.fish",
  };
  for (const [from, to] of Object.entries(completions))
    put(path.join(share, to), readFileSync(path.join(documents, "completion", from)));
  put(path.join(share, "doc/gantry/copyright"), readFileSync(path.join(root, "LICENSE")));
  put(path.join(tree, profile), readFileSync(path.join(root, "examples/apparmor/gantry")));
}

function control(architecture: string, tree: string): string {
  const { author, description, summary } = product();
  const bytes = filesIn(tree).reduce((sum, file) => sum + readFileSync(path.join(tree, file)).length, 0);
  return `Package: gantry
Version: ${debianVersion()}
Architecture: ${architecture}
Maintainer: ${author}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: ${depends}
Section: net
Priority: optional
Description: ${summary}
 ${description}
`;
}

/** Returns the version as Debian sorts it: a pre-release before its release. */
function debianVersion(): string {
  return product().version.replace("-", "~");
}

function put(file: string, content: string | Uint8Array): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A folder as tar.gz, as root's and without the times, order and umask of where it was made. */
function packed(folder: string): Buffer {
  const tarball = `${folder}.tar`;
  const same = ["--format=ustar", "--sort=name", "--mtime=@0", "--owner=root:0", "--group=root:0"];
  const mode = "--mode=u=rwX,go=rX,ug-s,-t";
  execFileSync("tar", [...same, mode, "-cf", tarball, "-C", folder, "."], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return gzipSync(readFileSync(tarball), { level: 9 });
}

/**
 * An archive of ar(5): for each file a head of 60 bytes, and its content filled up to an even
 * length.
 */
function archive(members: Readonly<Record<string, Uint8Array>>): Buffer {
  const parts = Object.entries(members).flatMap(([name, bytes]) => {
    const fields = [name.padEnd(16), "0".padEnd(12), "0".padEnd(6), "0".padEnd(6), "100644".padEnd(8)];
    const head = `${fields.join("")}${String(bytes.length).padEnd(10)}\`\n`;
    return [Buffer.from(head), bytes, Buffer.from("\n".repeat(bytes.length % 2))];
  });
  return Buffer.concat([Buffer.from("!<arch>\n"), ...parts]);
}

if (process.argv[1] === import.meta.filename)
  writeDebs(
    process.argv[2] ?? path.join(root, "dist/executable"),
    process.argv[3] ?? path.join(root, "dist/package"),
  );
