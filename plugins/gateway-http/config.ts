import { Type } from "typebox";
import type { Static } from "typebox";

const path = (what: string) =>
  Type.Optional(
    Type.String({ minLength: 1, description: `${what}; relative to the configuration directory.` }),
  );

/** As a Host header has it: an entry in any other form would never match. */
const hostName = String.raw`^(?:\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+)(?::[0-9]{1,5})?$`;

/** The form of an address; its numbers are checked for their range when they are read. */
const addressRange = String.raw`^(?:[0-9]+(?:\.[0-9]+){3}|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)(?:/[0-9]{1,3})?$`;

/** `[gateway]` */
export const config = Type.Object({
  require_pairing: Type.Boolean({
    default: true,
    description:
      "Ask every client for the token of a paired device. May be false only on a loopback address.",
  }),
  pairing_code_length: Type.Integer({
    default: 6,
    minimum: 4,
    maximum: 32,
    description: "Digits of a pairing code.",
  }),
  pairing_timeout_minutes: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 1_440,
    description: "Minutes until a pairing code is dead.",
  }),
  host: Type.String({
    default: "127.0.0.1",
    pattern: String.raw`^[^\s/@]+$`,
    examples: ["127.0.0.1"],
    description: "Address to listen on.",
  }),
  port: Type.Integer({
    default: 3000,
    minimum: 0,
    maximum: 65_535,
    description: "Port to listen on; 0 takes a free one.",
  }),
  requests_per_minute: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: 100_000,
    description: "Requests a minute to /api from one address; ten times as many with one good token.",
  }),
  tls_enabled: Type.Boolean({ default: false, description: "Serve https with the two files below." }),
  tls_cert_path: path("Certificate chain in PEM"),
  tls_key_path: path("Private key in PEM"),
  trusted_proxies: Type.Array(Type.String({ pattern: addressRange, examples: ["10.0.0.0/8"] }), {
    default: [],
    examples: [["10.0.0.0/8"]],
    description: "Addresses or CIDR ranges of reverse proxies whose forwarding headers count.",
  }),
  allowed_hosts: Type.Array(Type.String({ pattern: hostName, examples: ["gantry.example:443"] }), {
    default: [],
    examples: [["gantry.example"]],
    description: "Further names, with or without a port, that clients may reach the gateway by.",
  }),
});
export type GatewayConfig = Readonly<Static<typeof config>>;
