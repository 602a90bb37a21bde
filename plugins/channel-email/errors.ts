import { defineErrors, failed, usage } from "@gantry/sdk";

export const errors = defineErrors({
  EMAIL_LOGIN: failed(
    "Login error: %s refuses %s (%s): check channels.email.username and password; many providers want a password made for apps.",
  ),
  EMAIL_LOGIN_STOPPED: failed(
    "Login error: %s refused this password 3 times, so it is not tried again before the account is locked: set another channels.email.password, or run `gantry channel doctor` once it is right.",
  ),
  EMAIL_CERTIFICATE: failed(
    "The certificate of %s is not trusted (%s): check the host's name; the authority of a server of your own belongs into channels.email.tls_ca_file.",
  ),
  EMAIL_NO_TLS: failed(
    "%s does not speak TLS from the first byte on this port: take 993 for imap_port, 465 for smtp_port, or set imap_tls or smtp_tls.",
  ),
  EMAIL_NO_STARTTLS: failed(
    "%s offers no STARTTLS, and nothing is sent in the open: take its port with TLS, 993 for imap_port or 465 for smtp_port.",
  ),
  EMAIL_INSECURE: usage(
    "The key channels.email.%s is none, which is for a server on this machine alone, with SERVICE_ALLOW_INSECURE_LOOPBACK=1: leave it out.",
  ),
  EMAIL_BAD_ADDRESS: usage(
    "channels.email.address is `%s`, which is not an address: write name@example.com.",
  ),
  EMAIL_BAD_CA: usage("channels.email.tls_ca_file cannot be read (%s): name a PEM file with certificates."),
  EMAIL_NO_MAILBOX: failed(
    "%s has no folder %s (%s): set channels.email.mailbox to one that is there, as INBOX is.",
  ),
  EMAIL_AWAY: failed("%s: check the host and port in channels.email, or whether the network is there."),
  EMAIL_NO_GREETING: failed(
    "%s does not greet as a mail server does (%s): check the port in channels.email, 993 for imap_port and 465 for smtp_port, and imap_tls and smtp_tls.",
  ),
  EMAIL_BUSY: failed(
    "%s lets no further connection in (%s): end other programs that read this mailbox, or wait until the server has room.",
  ),
  EMAIL_IMAP: failed("%s failed while mail was read (%s): see the provider's status if it stays so."),
  EMAIL_SMTP: failed("%s did not take the mail (%s): see the provider's status if it stays so."),
  EMAIL_REFUSED: failed("%s refuses the mail for good (%s): see what it says of the address or the content."),
});
