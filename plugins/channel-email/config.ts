import { Type } from "typebox";
import type { Static } from "typebox";

const text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, pattern: "\\S", description }));
const port = (value: number, description: string) =>
  Type.Integer({ default: value, minimum: 1, maximum: 65_535, description });
const security = (what: string) =>
  Type.Optional(
    Type.Union([Type.Literal("implicit"), Type.Literal("starttls"), Type.Literal("none")], {
      description: `How the connection for ${what} is secured; unset: as its port says. \`none\` is for this machine alone, with SERVICE_ALLOW_INSECURE_LOOPBACK=1.`,
    }),
  );
const address = "^[^\\s@]+@[^\\s@]+$";

export const config = Type.Object({
  channels: Type.Object({
    email: Type.Object({
      address: text("The agent's own address; SERVICE_EMAIL_ADDRESS wins over it."),
      username: text("Name for the login, where it is not the address; SERVICE_EMAIL_USERNAME wins over it."),
      password: text(
        "Password of the mailbox, often one for apps alone; SERVICE_EMAIL_PASSWORD wins over it.",
      ),
      imap_host: text("Server that mail is read from; SERVICE_EMAIL_IMAP_HOST wins over it."),
      imap_port: port(993, "Its port; 993 is TLS from the first byte, on 143 STARTTLS is demanded."),
      imap_tls: security("reading"),
      smtp_host: text("Server that mail is sent through; SERVICE_EMAIL_SMTP_HOST wins over it."),
      smtp_port: port(465, "Its port; 465 is TLS from the first byte, on 587 and 25 STARTTLS is demanded."),
      smtp_tls: security("sending"),
      tls_ca_file: text(
        "A PEM file of the authorities that these two servers are trusted by, in place of those that Node knows.",
      ),
      mailbox: Type.String({
        default: "INBOX",
        minLength: 1,
        description: "The folder that new mail is taken from.",
      }),
      imap_idle: Type.Boolean({
        default: true,
        description: "True: the server tells of new mail at once, where it can (IDLE).",
      }),
      poll_seconds: Type.Integer({
        default: 60,
        minimum: 1,
        maximum: 3_600,
        description: "How often to look where imap_idle is false, or the server knows no IDLE.",
      }),
      allowed_senders: Type.Array(Type.String({ pattern: "^(?:\\*|[^\\s@]*@[^\\s@]+)$" }), {
        default: [],
        description:
          "Who may write: an address, `@example.com` for all of a domain (not of those below it), or `*` for everyone; empty denies all.",
      }),
      owners: Type.Array(Type.String({ pattern: address }), {
        default: [],
        description:
          "Addresses that may also approve what needs a person, by words with the question's id. " +
          "An address that alone stands in allowed_senders is the owner. " +
          "Without authserv_id nobody is an owner: these may write, and no more.",
      }),
      pairing_enabled: Type.Boolean({
        default: false,
        description:
          "True: whoever sends a code of `gantry pair new` may write from then on; never an owner.",
      }),
      authserv_id: text(
        "Name by which your mail server signs its Authentication-Results, such as " +
          "mx.example.com: then only mail counts that it says dmarc=pass of. " +
          "Unset: a sender's address can be forged, so nobody is an owner.",
      ),
      answers_per_hour: Type.Integer({
        default: 60,
        minimum: 1,
        description: "Mails that one person is sent within an hour at most; the rest waits.",
      }),
    }),
  }),
});
export type EmailConfig = Readonly<Static<typeof config>>;
