import type { OnboardingKeys, OnboardingQuestions, OnboardingStep } from "@gantry/sdk";
import { readAddress, readEntry } from "./mail-address.ts";
import { nameIn, serverNameForm, testSubject } from "./own-server.ts";

export const onboarding: OnboardingStep = {
  title: "E-mail",
  hint: "a mailbox of the agent's own, by IMAP and SMTP",
  async ask(questions, look) {
    const address = await questions.text("The agent's own address", { check: wrongAddress });
    const domain = address.slice(address.indexOf("@") + 1);
    const password = await questions.secret(
      "Password of the mailbox (many providers want one made for apps)",
    );
    const imap = await questions.text(`IMAP server, to read from (port ${ports.imap})`, {
      initial: `imap.${domain}`,
      check: wrongServer,
    });
    const smtp = await questions.text(`SMTP server, to send through (port ${ports.smtp})`, {
      initial: imap.replace(/^imap\./, "smtp."),
      check: wrongServer,
    });
    const people = await questions.text(
      "Who may write? Addresses, or @example.com for a whole domain, with commas.",
      { check: wrongPeople },
    );
    const entries = split(people).map(readEntry);
    const keys = {
      "channels.email.address": address,
      "channels.email.password": password,
      ...serverKeys("imap", imap),
      ...serverKeys("smtp", smtp),
      "channels.email.allowed_senders": entries,
      ...ownerKeys(entries, undefined),
    };
    const found = await readTestMail(questions, testSubject(), async () => nameIn(await look(keys)));
    const name = await askServerName(questions, found);
    return { ...keys, ...ownerKeys(entries, name) };
  },
  check: "email",
};

/** Returns the name in a mail that the person sends now; undefined if they send none. */
async function readTestMail(
  questions: OnboardingQuestions,
  subject: string,
  look: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const why =
    "Anybody can forge the sender of a mail; only the Authentication-Results of your own mail " +
    `server prove who wrote it. Send the agent a mail with the subject ${subject}, and its name is ` +
    "read there.";
  for (let message = `${why} Have you sent one?`; await questions.yes(message, false);) {
    const name = await look();
    if (name !== undefined) return name;
    message = `No mail with the subject ${subject} names a server yet. Look again?`;
  }
  return undefined;
}

/** Asks under which name the mail server vouches for senders; undefined if none is given. */
async function askServerName(
  questions: OnboardingQuestions,
  found: string | undefined,
): Promise<string | undefined> {
  const name = await questions.text(
    "Under which name does your mail server write Authentication-Results? It is the first word " +
      "there, such as mx.example.com, and must be your own server's. With a name the first " +
      "address is the owner. Empty: nobody is, and no mail approves.",
    { ...(found !== undefined && { initial: found }), check: wrongServerName },
  );
  return name === "" ? undefined : name;
}

/** Returns the keys of who is an owner: nobody without a server that vouches for senders. */
function ownerKeys(entries: readonly string[], name: string | undefined): OnboardingKeys {
  const owners = entries.filter((entry) => readAddress(entry) !== undefined).slice(0, 1);
  return {
    "channels.email.authserv_id": name,
    "channels.email.owners": name === undefined ? undefined : owners,
  };
}

/** As the questions name them. */
const ports = { imap: 993, smtp: 465 } as const;
const serverForm = /^([a-z0-9.-]+)(?::(\d{1,5}))?$/i;

/**
 * Returns the keys of a server. Port and security of an earlier one must not stay: the port is
 * always written, and the security follows from it.
 */
function serverKeys(kind: keyof typeof ports, server: string): Readonly<Record<string, unknown>> {
  const [, host, port = ports[kind]] = serverForm.exec(server.trim()) ?? [];
  return {
    [`channels.email.${kind}_host`]: host,
    [`channels.email.${kind}_port`]: Number(port),
    [`channels.email.${kind}_tls`]: undefined,
  };
}

function split(text: string): string[] {
  return text.split(/[,\s]+/).filter((part) => part !== "");
}

function wrongAddress(text: string): string | undefined {
  return readAddress(text) === undefined ? "That is not an address such as agent@example.com." : undefined;
}

function wrongServer(text: string): string | undefined {
  return serverForm.test(text.trim()) ? undefined : "That is not a server such as imap.example.com.";
}

function wrongServerName(text: string): string | undefined {
  const isName = text === "" || serverNameForm.test(text);
  return isName ? undefined : "That is not a name such as mx.example.com.";
}

function wrongPeople(text: string): string | undefined {
  const parts = split(text);
  const wrong = parts.find((part) => readAddress(part.replace(/^@/, "x@")) === undefined);
  if (wrong !== undefined) return `${wrong} is not an address such as ada@example.com.`;
  return parts.length === 0 ? "Please name at least one address." : undefined;
}
