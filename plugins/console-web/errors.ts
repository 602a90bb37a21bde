import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  CONSOLE_NO_PAGE: failed("The console has no page %s."),
  CONSOLE_NOT_BUILT: failed("The console's files are missing in %s: run `npm run build`."),
  CONSOLE_TURN_RUNS: failed("A turn runs in the conversation %s: wait for its end, or stop it.", 409),
  CONSOLE_TURNS: policy("%s turns of this device run: wait for the end of one, or stop one.", 429),
  CONSOLE_NO_TURN: failed("No turn of this device runs in the conversation %s."),
  CONSOLE_NO_UPLOAD: usage("The file %s was not sent by this device: send it to POST /api/uploads first."),
  CONSOLE_NO_MEDIA: failed("No loaded plugin keeps files: load a store that does."),
  CONSOLE_SECRET_KEY: usage(
    "The key `%s` holds a secret, which the console neither shows nor takes: use `gantry config set`.",
  ),
});
