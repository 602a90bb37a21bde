import { Type } from "typebox";
import { definePlugin } from "@gantry/sdk";
import { Redactors } from "@gantry/sdk/fill";
import { builtIn } from "./built-in.ts";
import { errors } from "./errors.ts";
import { ownRules } from "./own-patterns.ts";

export default definePlugin({
  name: "redact-pii",
  summary: "Removes personal data and secrets from text.",
  table: "",
  config: Type.Object({
    security: Type.Object({
      redact_pii: Type.Boolean({
        default: true,
        description:
          "Remove e-mail addresses, phone numbers, payment cards, IBANs and credentials from replies, logs and the audit.",
      }),
      pii_patterns: Type.Array(Type.String(), {
        default: [],
        description:
          "Regular expressions (RE2 syntax: no look-around, no back-references) whose matches are removed as well.",
      }),
    }),
  }),
  provides: [Redactors],
  enforces: ["security.redact_pii", "security.pii_patterns"],
  errors,
  async setup(host) {
    const { redact_pii, pii_patterns } = host.config.security;
    const own = await ownRules(pii_patterns);
    const rules = redact_pii ? [...builtIn, ...own] : [];
    host.provide(Redactors, {
      name: host.name,
      redact: (text) => rules.reduce((clean, rule) => rule(clean), text),
      // The longest of what may hold blanks; what holds none is never cut.
      holdBack: rules.length === 0 ? 0 : own.length > 0 ? 512 : 96,
    });
  },
});
