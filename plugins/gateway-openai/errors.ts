import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  OPENAI_BAD_REQUEST: failed("The request's `%s` %s: mend it, as OpenAI's API describes it."),
  OPENAI_NO_MODEL: failed("There is no model `%s`: the models are %s."),
  OPENAI_NO_MEDIA: failed("No plugin keeps pictures, so none can be taken: list a store that does."),
});
