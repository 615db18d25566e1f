// What the predefined roles that the stacks grant contain, as far as the functions' clients call it.
// It must never hold a role that was not checked against its published page: a role that is not here stops the laptop.

/** Permissions by role; Google's role pages have the whole lists, this is the part that something here can exercise. */
export const predefinedRoles: Readonly<Record<string, readonly string[]>> = {
  "roles/datastore.user": [
    "datastore.databases.get",
    "datastore.entities.create",
    "datastore.entities.delete",
    "datastore.entities.get",
    "datastore.entities.list",
    "datastore.entities.update",
  ],
  "roles/pubsub.publisher": ["pubsub.topics.publish"],
  "roles/pubsub.subscriber": ["pubsub.subscriptions.consume"],
  "roles/secretmanager.secretAccessor": ["secretmanager.versions.access"],
  "roles/bigquery.dataViewer": ["bigquery.tables.getData"],
  "roles/bigquery.jobUser": ["bigquery.jobs.create"],
  "roles/telemetry.tracesWriter": ["telemetry.traces.write"],
  "roles/run.invoker": ["run.routes.invoke"],
  "roles/cloudtasks.enqueuer": ["cloudtasks.tasks.create"],
  "roles/iam.serviceAccountUser": ["iam.serviceAccounts.actAs"],
  "roles/iam.serviceAccountOpenIdTokenCreator": ["iam.serviceAccounts.getOpenIdToken"],
};
