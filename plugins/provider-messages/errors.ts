import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  MESSAGES_NO_MODEL_LIST: failed(
    "%s has no model list (HTTP %s), which is optional for a server: set default_model to a name it knows and send a test message.",
  ),
});
