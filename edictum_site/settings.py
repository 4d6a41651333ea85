"""Every deployment difference is a variable of the environment; without any, all is embedded."""

import tomllib
from typing import Any

from edictum_site.accounts.identity_settings import allauth_providers, env_providers
from edictum_site.accounts.mail_settings import env_mail
from edictum_site.database import databases
from edictum_site.env import (
    OF_OBJECT_STORES,
    broker_url,
    data_folder,
    env_archive,
    env_artifacts,
    env_bool,
    env_bound,
    env_hosts,
    env_int,
    env_level,
    env_list,
    env_networks,
    env_origins,
    env_secret,
    env_secret_files,
    env_str,
    env_token,
    env_url,
    host_name,
)
from edictum_site.program import place
from edictum_site.secret import secret_key

BASE = place.BASE
RELEASE = str(tomllib.loads((BASE / "pyproject.toml").read_text("utf-8"))["project"]["version"])
PROGRAM = place.program()
PROGRAM_NAME = place.PROGRAM_NAME
HOST_NAME = host_name()
DATA = data_folder()
DATA.mkdir(parents=True, exist_ok=True, mode=0o700)

DEBUG = env_bool("EDICTUM_SITE_DEBUG")
SECRET_KEY = secret_key(DATA)
# Earlier ones: what the audit log chained under them is still verified.
OLD_SECRETS = env_list(env_secret("EDICTUM_SITE_OLD_SECRET_KEYS"))
SITE_URL = env_url("EDICTUM_SITE_URL")  # without it, links follow the request
ALLOWED_HOSTS = env_hosts("EDICTUM_SITE_HOSTS", SITE_URL)
CSRF_TRUSTED_ORIGINS = env_origins("EDICTUM_SITE_ORIGINS") + [SITE_URL] * bool(SITE_URL)

INSTALLED_APPS = [
    "edictum_site.accounts.apps.EdictumSiteConfig",
    "governance",
    "outcomes",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "django_htmx",
    "django_ace",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
# Requests with a key (agents, automation) pass through the pages' middleware untouched.
MIDDLEWARE = [
    "edictum_site.middleware.security_headers",
    "edictum_site.pages.replica.ReadFromReplica",
    "edictum_site.hosts.refuse_unknown_hosts",
    "edictum_site.accounts.audit_trail.record_refusals_and_downloads",
    "edictum_site.errors.api_method_errors",
    "edictum_site.errors.head_like_get",
    "edictum_site.middleware.StaticFiles",
    "edictum_site.middleware.Compressed",
    "edictum_site.middleware.Sessions",
    "edictum_site.middleware.Common",
    "edictum_site.middleware.Csrf",
    "edictum_site.middleware.Authentication",
    "edictum_site.middleware.SessionsInUse",
    "edictum_site.middleware.Messages",
    "edictum_site.middleware.Htmx",
    "allauth.account.middleware.AccountMiddleware",
]
# They look for Django's own: security_headers and Csrf do the same, and let keys pass by.
# The last: SQLite makes an index without the columns that it carries on PostgreSQL.
SILENCED_SYSTEM_CHECKS = ["security.W001", "security.W002", "security.W003", "models.W040"]
ROOT_URLCONF = "edictum_site.urls"
WSGI_APPLICATION = "edictum_site.wsgi.application"
TEMPLATE_LOADERS = [
    "django.template.loaders.filesystem.Loader",
    "django.template.loaders.app_directories.Loader",
]
CACHED_LOADER = (
    "django.template.loaders.cached.Loader",
    ["edictum_site.template_loader.Loader", TEMPLATE_LOADERS[1]],
)
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE / "templates"],
        "OPTIONS": {
            # Without the cache in debug mode: a changed template shows on the next request.
            "loaders": TEMPLATE_LOADERS if DEBUG else [CACHED_LOADER],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "edictum_site.pages.shell.shell",
            ],
        },
    }
]

DATABASES = databases(env_secret("DATABASE_URL"), env_secret("DATABASE_REPLICA_URL"), DATA)
REPLICA_LAG = env_int(
    "EDICTUM_SITE_REPLICA_LAG", 60
)  # seconds: no page reads from one that is more
DATABASE_ROUTERS = ["edictum_site.pages.replica.Router"] if len(DATABASES) > 1 else []
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {  # shared by all processes, and there when Redis is not: sign-in throttling
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "shared_cache",
        # At Django's 300 a stranger who tries many names would push out the counts of the others.
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}

AUTH_USER_MODEL = "governance.User"
AUTHENTICATION_BACKENDS = ["governance.people.auth.signed_in.SignedIn"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "edictum_site.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_RATE_LIMITS = {"login": None}  # only failures are counted: sign_in_limits.py
ACCOUNT_FORMS = {
    "login": "edictum_site.accounts.adapter.SignInForm",
    "change_password": "edictum_site.accounts.adapter.PasswordForm",
    "reauthenticate": "edictum_site.accounts.adapter.ConfirmForm",
    "reset_password": "edictum_site.accounts.passwords.ForgottenForm",
    "reset_password_from_key": "edictum_site.accounts.passwords.NewPasswordForm",
}
MFA_ADAPTER = "edictum_site.accounts.second_factor.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_TOLERANCE = 1  # half a minute each way, for telephones whose clocks are off
MFA_FORMS = {
    "authenticate": "edictum_site.accounts.second_factor.CodeForm",
    "reauthenticate": "edictum_site.accounts.second_factor.ConfirmByCodeForm",
    "activate_totp": "edictum_site.accounts.second_factor.AddAppForm",
    "add_webauthn": "edictum_site.accounts.second_factor.AddPasskeyForm",
    "edit_webauthn": "edictum_site.accounts.second_factor.RenamePasskeyForm",
}
OIDC = env_providers()
SOCIALACCOUNT_ADAPTER = "edictum_site.accounts.sso.SocialAdapter"
SOCIALACCOUNT_PROVIDERS = allauth_providers(OIDC)
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10  # seconds
MAIL = env_mail(SITE_URL)
SENDS_MAIL = bool(MAIL)
globals().update(MAIL)  # by Django's names
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # strangers would have mails sent to others
PASSWORD_RESET_TIMEOUT = 86_400  # seconds
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900  # seconds, in which a change of factors asks for nothing
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env_bool("EDICTUM_SITE_HTTPS")
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "edictum_site.errors.csrf_failure"
if env_bool("EDICTUM_SITE_HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000

USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
LANGUAGE_CODE = "en-us"

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE / "static"]
STATICFILES_FINDERS = [
    "edictum_site.static_files.OwnFiles",
    "edictum_site.static_files.AppFiles",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
FILE_UPLOAD_PERMISSIONS = None  # as the umask has it
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG

# The front reads bodies and holds them to its own limits, file by file.
DATA_UPLOAD_MAX_MEMORY_SIZE = 80 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_100  # 500 bindings of checks, four fields each
ARTIFACTS = env_artifacts()  # without it, in the data folder
ARTIFACT_SECRETS = env_secret_files(OF_OBJECT_STORES)
MAX_ARTIFACT = env_int("EDICTUM_SITE_MAX_ARTIFACT", 1024**3)
# Where the inbox takes no more, and what is kept free on the disks: 0 for no bound, and without a
# word a share of each disk.
INBOX_BYTES = env_bound("EDICTUM_SITE_INBOX_BYTES", 2 * 1024**3)
INBOX_AGE = env_bound("EDICTUM_SITE_INBOX_AGE", 24 * 3600)  # seconds
DISK_RESERVE = (
    env_bound("EDICTUM_SITE_DISK_RESERVE", 0) if env_str("EDICTUM_SITE_DISK_RESERVE") else None
)
METRICS_TOKEN = env_token("EDICTUM_SITE_METRICS_TOKEN")  # reads GET /metrics of all projects
OUTBOUND_NETWORKS = env_networks("EDICTUM_SITE_OUTBOUND_NETWORKS")
APPEND_SLASH = True
ARCHIVE = env_archive()
KEEP_APPROVALS = env_int("EDICTUM_SITE_KEEP_APPROVALS", 90)  # days after their end; 0: for ever

REDIS_URL = broker_url()
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_TASK_IGNORE_RESULT = True  # results live in our tables
CELERY_TASK_PUBLISH_RETRY = False  # a dead broker fails fast; the sweep is the retry
CELERY_TASK_ACKS_LATE = True  # safe because every task may run twice
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # however long the broker is away
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "queue_order_strategy": "priority",  # of the queues of a worker, the one named first
}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000  # KB: a process that a job left larger is replaced

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "edictum_site.logs.JsonLine"}},
    "filters": {"news": {"()": "edictum_site.logs.News"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {
        "django.request": {"filters": ["news"]},
        "mcp": {"level": "WARNING"},  # it logs three lines per request
        "governance.audit_log": {"level": "INFO"},  # signed heads, whatever the level of the rest
    },
    "root": {"handlers": ["stderr"], "level": env_level("EDICTUM_SITE_LOG_LEVEL")},
}
