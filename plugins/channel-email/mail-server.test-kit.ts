import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { findProgram } from "../../.ci/programs.ts";
import { freePort } from "../../test/e2e/platform.ts";
import { programs } from "../../test/helpers/programs.ts";
import { password } from "./mail-sink.test-kit.ts";

/** The programs of the server, and the words for titles if they are not installed. */
export const dovecot: ReturnType<typeof programs> = programs("dovecot", "submission");

/** The user who runs it if we are root; it does not need root's rights. */
const nobody = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;

export interface MailServerOptions {
  /** The port of the server to which it passes on what is sent. */
  readonly relayPort?: number;
  /** Further lines of its configuration. */
  readonly more?: string;
  readonly tls?: boolean;
}

/** Dovecot, started by an ordinary user: IMAP, and submission that hands on to a relay. */
export class MailServer implements AsyncDisposable {
  readonly directory: string;
  readonly ports: {
    readonly imap: number;
    readonly imaps: number;
    readonly submission: number;
    readonly submissions: number;
  };
  /** The authority that its certificate is signed by. */
  readonly caFile: string;
  readonly #process: ChildProcess | undefined;
  #count = 0;

  private constructor(directory: string, ports: MailServer["ports"], process?: ChildProcess) {
    this.directory = directory;
    this.ports = ports;
    this.caFile = path.join(directory, "cert.pem");
    this.#process = process;
  }

  /** Returns a server that does not listen, for a channel that reads nothing. */
  static nowhere(): MailServer {
    return new MailServer("/nowhere", { imap: 1, imaps: 1, submission: 1, submissions: 1 });
  }

  static async start({ relayPort = 1, more = "", tls = true }: MailServerOptions = {}): Promise<MailServer> {
    const directory = mkdtempSync(path.join(tmpdir(), "gantry-mail-"));
    const ports = {
      imap: await freePort(),
      imaps: await freePort(),
      submission: await freePort(),
      submissions: await freePort(),
    };
    certify(directory);
    for (const name of ["run", "mail"]) mkdirSync(path.join(directory, name));
    writeFileSync(
      path.join(directory, "dovecot.conf"),
      configuration(directory, ports, { relayPort, more, tls }),
    );
    own(directory, "run", "mail", "cert.pem", "key.pem", "dovecot.conf", ".");
    const server = new MailServer(directory, ports, run(path.join(directory, "dovecot.conf")));
    await server.#ready();
    return server;
  }

  /** Puts a mail into a mailbox as delivery programs do. Returns its file's name. */
  deliver(user: string, mail: string | Uint8Array, { at }: { readonly at?: Date } = {}): string {
    const box = this.#box(user);
    // By the true clock, as mails are numbered in the order of these names.
    const now = performance.timeOrigin + performance.now();
    const name = `${Math.floor(now / 1_000)}.M${(this.#count += 1)}P${process.pid}.test`;
    const file = path.join(box, "tmp", name);
    writeFileSync(file, mail);
    if (isRoot) chownSync(file, nobody.uid, nobody.gid);
    if (at) utimesSync(file, at, at);
    renameSync(file, path.join(box, "new", name));
    return name;
  }

  /** Returns the letters of the flags of every mail that a reader has opened: `S` is seen. */
  flags(user: string): readonly string[] {
    const cur = path.join(this.directory, "mail", user, "cur");
    if (!existsSync(cur)) return [];
    return readdirSync(cur).map((name) => /:2,(\w*)$/.exec(name)?.[1] ?? "");
  }

  /** Has the mailbox forget how its mails are numbered, as after a move to another machine. */
  renumber(user: string): void {
    const box = path.join(this.directory, "mail", user);
    for (const name of readdirSync(box))
      if (/^dovecot[.-]/.test(name)) rmSync(path.join(box, name), { recursive: true });
  }

  get log(): string {
    const file = path.join(this.directory, "log");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** Breaks off every connection at once. */
  dropConnections(): void {
    execFileSync("pkill", ["-KILL", "-P", String(this.#process?.pid), "-x", "imap"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGTERM");
    if (running.exitCode === null) await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }

  #box(user: string): string {
    const box = path.join(this.directory, "mail", user);
    if (existsSync(box)) return box;
    for (const name of ["", "tmp", "new", "cur"]) mkdirSync(path.join(box, name));
    own(box, ".", "tmp", "new", "cur");
    return box;
  }

  async #ready(): Promise<void> {
    for (let tries = 0; tries < 2_000; tries += 1) {
      if (await greets(this.ports.imap)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`dovecot did not start: ${this.log}`);
  }
}

function run(configuration: string): ChildProcess {
  const program = findProgram("dovecot") ?? "dovecot";
  const args = ["-F", "-c", configuration];
  const drop = ["--reuid=65534", "--regid=65534", "--clear-groups", program];
  return isRoot
    ? spawn("setpriv", [...drop, ...args], { stdio: "ignore" })
    : spawn(program, args, { stdio: "ignore" });
}

function own(directory: string, ...names: readonly string[]): void {
  if (isRoot) for (const name of names) chownSync(path.join(directory, name), nobody.uid, nobody.gid);
}

/** Resolves to true once logins are possible: before, the server greets with a sentence alone. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    socket.on("data", (text) => {
      if (!String(text).includes("CAPABILITY")) return;
      resolve(true);
      socket.end();
    });
    socket.setTimeout(2_000, () => socket.destroy());
  });
}

function certify(directory: string): void {
  const args =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost".split(
      " ",
    );
  const names = ["-addext", "subjectAltName=DNS:localhost,DNS:mail.test,IP:127.0.0.1"];
  const files = ["-keyout", path.join(directory, "key.pem"), "-out", path.join(directory, "cert.pem")];
  execFileSync("openssl", [...args, ...names, ...files], { stdio: "ignore" });
}

function configuration(
  directory: string,
  { imap, imaps, submission, submissions }: MailServer["ports"],
  { relayPort, more, tls }: Required<MailServerOptions>,
): string {
  const [user, group] = isRoot ? ["nobody", "nogroup"] : ["-un", "-gn"].map(ownName);
  const encryption = tls
    ? `ssl = yes\nssl_cert = <${directory}/cert.pem\nssl_key = <${directory}/key.pem`
    : "ssl = no";
  return `
base_dir = ${directory}/run
state_dir = ${directory}/run
log_path = ${directory}/log
protocols = imap submission
listen = 127.0.0.1
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
mail_uid = ${user}
mail_gid = ${group}
first_valid_uid = 1
mail_location = maildir:${directory}/mail/%u
mail_home = ${directory}/mail/%u
${encryption}
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_username_format = %Lu
auth_failure_delay = 0
imap_id_log = *
mail_max_userip_connections = 50
mailbox_idle_check_interval = 1 secs
hostname = localhost
submission_relay_host = 127.0.0.1
submission_relay_port = ${relayPort}
submission_relay_trusted = yes
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${user} gid=${group} home=${directory}/mail/%u
}
namespace inbox {
  inbox = yes
}
service anvil {
  chroot =
  # Nobody waits for having had a wrong password before.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${imap}
  }
  inet_listener imaps {
    port = ${tls ? imaps : 0}
    ssl = yes
  }
}
service submission-login {
  chroot =
  inet_listener submission {
    port = ${submission}
  }
  inet_listener submissions {
    port = ${tls ? submissions : 0}
    ssl = yes
  }
}
${more}
`;
}

function ownName(which: string): string {
  return execFileSync("id", [which], { encoding: "utf8" }).trim();
}
