import { Type } from "typebox";
import type { Static } from "typebox";

const path = (what: string) =>
  Type.Optional(
    Type.String({ minLength: 1, description: `${what}; relative to the configuration directory.` }),
  );

/** As a Host header has it: an entry in any other form would never match. */
const hostName = String.raw`^(?:\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+)(?::[0-9]{1,5})?$`;

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
  host: Type.String({ default: "127.0.0.1", minLength: 1, description: "Address to listen on." }),
  port: Type.Integer({
    default: 3000,
    minimum: 0,
    maximum: 65_535,
    description: "Port to listen on; 0 takes a free one.",
  }),
  tls_enabled: Type.Boolean({ default: false, description: "Serve https with the two files below." }),
  tls_cert_path: path("Certificate chain in PEM"),
  tls_key_path: path("Private key in PEM"),
  trusted_proxies: Type.Array(Type.String(), {
    default: [],
    description: "Addresses or CIDR ranges of reverse proxies whose forwarding headers count.",
  }),
  allowed_hosts: Type.Array(Type.String({ pattern: hostName }), {
    default: [],
    description: "Further names, with or without a port, that clients may reach the gateway by.",
  }),
});
export type GatewayConfig = Readonly<Static<typeof config>>;
