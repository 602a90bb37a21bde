import { once } from "node:events";
import type { AddressInfo } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { vi } from "vitest";

/** A mail as its receiver's server got it. */
export interface SunkMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly shown: Awaited<ReturnType<typeof shownMail>>;
}

/** The failure of the next mail: an answer at one of the steps, or a cut connection. */
export interface SinkFailure {
  readonly at: "auth" | "from" | "to" | "data";
  readonly code?: number;
  readonly text?: string;
  /** The connection is cut while the mail is on its way. */
  readonly cut?: boolean;
}

export const password: string = "secret-of-the-mailbox";

/** A real SMTP server that keeps what it takes, and fails as it is told. */
export class MailSink implements AsyncDisposable {
  readonly mails: SunkMail[] = [];
  readonly failures: SinkFailure[] = [];
  logins = 0;
  readonly #server: SMTPServer;

  private constructor(withLogin: boolean) {
    this.#server = new SMTPServer({
      authOptional: !withLogin,
      allowInsecureAuth: true,
      disabledCommands: withLogin ? ["STARTTLS"] : ["STARTTLS", "AUTH"],
      size: 40 * 1024 * 1024,
      logger: false,
      closeTimeout: 300,
      onAuth: (auth, _session, done) => {
        this.logins += 1;
        const failure = this.#fails("auth");
        if (failure) return done(failure);
        if (auth.password !== password) return done(errorOf(535, "5.7.8 Authentication failed"));
        done(null, { user: auth.username });
      },
      onMailFrom: (_address, _session, done) => done(this.#fails("from")),
      onRcptTo: (_address, _session, done) => done(this.#fails("to")),
      onData: (stream, session, done) => {
        const failure = this.failures[0]?.at === "data" ? this.failures.shift() : undefined;
        const pieces: Buffer[] = [];
        stream.on("data", (piece: Buffer) => pieces.push(piece));
        stream.on("end", () => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? "" : mailFrom.address;
          const to = rcptTo.map(({ address }) => address);
          const raw = Buffer.concat(pieces).toString();
          if (failure?.cut) return void this.#server.connections.forEach((one) => one.close());
          if (failure) return done(errorOf(failure.code, failure.text));
          void shownMail(raw).then((shown) => {
            this.mails.push({ from, to, raw, shown });
            done(null);
          });
        });
      },
    });
    this.#server.on("error", () => {});
  }

  static async start({ withLogin = true } = {}): Promise<MailSink> {
    const sink = new MailSink(withLogin);
    sink.#server.listen(0, "127.0.0.1");
    await once(sink.#server.server, "listening");
    return sink;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** Resolves once this many mails were taken. */
  async sent(count: number, timeoutMs?: number): Promise<readonly SunkMail[]> {
    await until(() => this.mails.length >= count, timeoutMs);
    return this.mails;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #fails(at: SinkFailure["at"]): Error | null {
    if (this.failures[0]?.at !== at) return null;
    const { code, text } = this.failures.shift() as SinkFailure;
    return errorOf(code, text);
  }
}

function errorOf(code: number = 550, text: string = "5.0.0 refused"): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** Resolves once it holds; it is polled, since a server tells nobody. */
export function until(holds: () => boolean | Promise<boolean>, timeout: number = 45_000): Promise<void> {
  return vi.waitFor(
    async () => {
      if (!(await holds())) throw new Error("what was waited for did not come");
    },
    { timeout, interval: 15 },
  );
}

/** Returns a mail as a mail program shows it. */
async function shownMail(raw: string) {
  const {
    subject = "",
    text = "",
    html = "",
    headers,
    attachments,
    messageId = "",
  } = await PostalMime.parse(raw);
  const header = (name: string): string | undefined =>
    headers.find(({ key }) => key === name.toLowerCase())?.value;
  return { subject, text: text.trimEnd(), html, header, attachments, messageId };
}
