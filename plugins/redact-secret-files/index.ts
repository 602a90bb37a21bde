import { definePlugin, ResultFilters, Runtime, securityKeys } from "@gantry/sdk";
import { secretFiles } from "@gantry/sdk/node";
import { Type } from "typebox";
import { SecretTexts } from "./secret-texts.ts";

export default definePlugin({
  name: "redact-secret-files",
  summary: "Takes the text of secret files out of what tools answer, before the model sees it.",
  table: "",
  config: Type.Object({ security: Type.Object({ secret_files: securityKeys.secret_files }) }),
  needs: { runtime: Runtime },
  provides: [ResultFilters],
  taps: ["beforeToolCall"],
  setup(host) {
    const isSecret = secretFiles(host.config.security.secret_files);
    const texts = new SecretTexts(host.needs.runtime.workspace, isSecret);
    // Before any call: a copy's name tells nothing, and what a command reads and then removes is
    // known as well.
    host.hooks.beforeToolCall.tap(async ({ dryRun }) => {
      if (!dryRun) await texts.refresh();
    });
    host.provide(ResultFilters, { name: "secret-files", filter: (text) => texts.takeOut(text) });
  },
});
