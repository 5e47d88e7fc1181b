package io.github.daikonauth.client;

/** What to grant with a share or link: a permission, or a role that your service declared for the type. */
public sealed interface Grant permits Permission, ResourceRole {}
