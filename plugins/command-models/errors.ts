import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  MODELS_NO_LIST: failed("The provider %s offers no list of models: set default_model to a name it knows."),
  MODELS_NOT_KEPT: failed(
    "No list of models is kept for %s: run `gantry models refresh --provider %s` first.",
  ),
});
