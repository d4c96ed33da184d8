package posts;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PostController {
    private final PostRepository posts;

    PostController(PostRepository posts) {
        this.posts = posts;
    }

    /** An id that is no number is answered by Spring, with 400. */
    @GetMapping("/api/posts/{id}")
    ResponseEntity<Post> find(@PathVariable long id) {
        return ResponseEntity.of(posts.findById(id));
    }

    /** No connection became free in time. */
    @ExceptionHandler(CannotCreateTransactionException.class)
    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    void databaseFailed(CannotCreateTransactionException error) {
        System.err.println("database: " + error.getMostSpecificCause().getMessage());
    }
}
