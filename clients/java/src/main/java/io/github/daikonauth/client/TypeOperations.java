package io.github.daikonauth.client;

import io.github.daikonauth.client.Connection.Attempt;
import io.github.daikonauth.v1.ActionRegistration;
import io.github.daikonauth.v1.ActionRequirement;
import io.github.daikonauth.v1.ConditionDeclaration;
import io.github.daikonauth.v1.DeleteResourceTypeRequest;
import io.github.daikonauth.v1.ListResourceTypesRequest;
import io.github.daikonauth.v1.PermissionServiceGrpc;
import io.github.daikonauth.v1.PutResourceTypeRequest;
import io.github.daikonauth.v1.RegisterActionsRequest;
import io.github.daikonauth.v1.ResourceRoleDeclaration;
import java.util.List;

/** The operations on actions and resource types of the service. */
abstract class TypeOperations extends Caller {
  TypeOperations(String service) {
    super(service);
  }

  @Override
  public void registerActions(List<Action> actions, Options.ForAny... options) {
    RegisterActionsRequest.Builder request = RegisterActionsRequest.newBuilder().setServiceName(service);
    for (Action action : actions) {
      ActionRegistration.Builder registration = request.addActionsBuilder().setName(action.name());
      if (action.description() != null) registration.setDescription(action.description());
    }
    send(PermissionServiceGrpc.getRegisterActionsMethod(), request.build(), repeatable(Settings.read(options)));
  }

  @Override
  public DeclaredType declareType(String type, TypeDeclaration declaration, Options.ForDeclare... options) {
    Settings settings = Settings.read(options);
    PutResourceTypeRequest.Builder request = PutResourceTypeRequest.newBuilder()
        .setServiceName(service)
        .setResourceType(Arguments.requireType(type))
        .setDescription(declaration.description())
        .setAllowPublic(declaration.allowPublic());
    for (TypeDeclaration.Role role : declaration.roles())
      request.addRoles(ResourceRoleDeclaration.newBuilder()
          .setName(role.name())
          .setDescription(role.description())
          .addAllActions(role.actions()));
    for (TypeDeclaration.NamedCondition condition : declaration.conditions())
      request.addConditions(ConditionDeclaration.newBuilder()
          .setName(condition.name())
          .setDescription(condition.description())
          .setExpression(condition.expression())
          .setParameters(Json.toStruct("parameters", condition.parameters())));
    for (TypeDeclaration.Requirement requirement : declaration.requirements())
      request.addRequirements(ActionRequirement.newBuilder()
          .setAction(requirement.action())
          .setCondition(requirement.condition())
          .setInherited(requirement.inherited()));
    if (settings.dryRun) request.setDryRun(true);
    return Records.readType(
        send(PermissionServiceGrpc.getPutResourceTypeMethod(), request.build(), repeatable(settings)));
  }

  @Override
  public List<DeclaredType> resourceTypes(Options.ForAny... options) {
    ListResourceTypesRequest request = ListResourceTypesRequest.newBuilder().setServiceName(service).build();
    Attempt attempt = repeatable(Settings.read(options));
    return send(PermissionServiceGrpc.getListResourceTypesMethod(), request, attempt).getTypesList().stream()
        .map(Records::readType)
        .toList();
  }

  @Override
  public void deleteType(String type, Options.ForAny... options) {
    DeleteResourceTypeRequest request = DeleteResourceTypeRequest.newBuilder()
        .setServiceName(service)
        .setResourceType(Arguments.requireType(type))
        .build();
    Attempt attempt = removing(Settings.read(options), "RESOURCE_TYPE_NOT_FOUND");
    send(PermissionServiceGrpc.getDeleteResourceTypeMethod(), request, attempt);
  }
}
